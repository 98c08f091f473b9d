package import Foundation

/// The bandwidth of a run in bytes per second, by weekday and time of day: a rate applies from its slot to the next
/// one, over midnight and over the end of the week.
///
/// Slots follow the wall clock. If summer time skips a slot it begins when the clock is put forward; if a slot occurs
/// twice it begins the first time, and stays. Related: rclone's `--bwlimit`.
package struct BandwidthTimetable: Sendable, Hashable {
    /// The start of a rate.
    package struct Slot: Sendable, Hashable {
        /// 0 for Sunday.
        package var weekday: Int
        package var time: LocalTime
        /// Bytes per second; nil for no limit.
        package var rate: Int64?

        package init(weekday: Int, time: LocalTime, rate: Int64?) {
            self.weekday = weekday
            self.time = time
            self.rate = rate
        }
    }

    /// In the order of the week, from Sunday on; exactly one if the rate never changes.
    package let slots: [Slot]

    /// No limit at any time.
    package static let unlimited = BandwidthTimetable(rate: nil)

    /// The same rate all the time.
    package init(rate: Int64?) { slots = [Slot(weekday: 0, time: LocalTime(minutes: 0), rate: rate)] }

    /// Takes slots in any order; of two at the same moment the later one counts. None means no limit.
    package init(_ slots: [Slot]) {
        var byMinute: [Int: Slot] = [:]
        for slot in slots { byMinute[slot.weekday * 1440 + slot.time.minutes] = slot }
        let sorted = byMinute.sorted { $0.key < $1.key }.map(\.value)
        var changes: [Slot] = []
        var rate = sorted.last?.rate
        // A slot without a change is dropped; the week begins with the rate that it ended with.
        for slot in sorted where slot.rate != rate {
            changes.append(slot)
            rate = slot.rate
        }
        self.init(changes: changes.isEmpty ? BandwidthTimetable(rate: rate).slots : changes)
    }

    private init(changes: [Slot]) { slots = changes }

    /// One of so many equal shares of each rate, of at least one byte per second.
    package func share(among count: Int) -> BandwidthTimetable {
        BandwidthTimetable(
            changes: slots.map { slot in
                Slot(
                    weekday: slot.weekday, time: slot.time, rate: slot.rate.map { max(1, $0 / Int64(max(1, count))) })
            })
    }

    /// The rate at all times; nil if it changes, and `.some(nil)` for no limit.
    package var constant: Int64?? { slots.count == 1 ? .some(slots[0].rate) : nil }

    /// Bytes per second at that instant; nil for no limit.
    package func rate(at date: Date, in zone: TimeZone) -> Int64? {
        guard slots.count > 1 else { return slots.first?.rate }
        let today = LocalDay(of: date, in: zone)
        // Tomorrow first: if midnight is skipped, it may have begun already.
        for back in -1...8 {
            let day = LocalDay(number: today.number - back)
            for slot in slots.reversed() where slot.weekday == day.weekday {
                if slot.time.instant(on: day, in: zone) <= date { return slot.rate }
            }
        }
        return slots.last?.rate
    }

    /// The first instant after `date` at which another rate begins; nil if it never changes.
    package func nextChange(after date: Date, in zone: TimeZone) -> Date? {
        guard slots.count > 1 else { return nil }
        let today = LocalDay(of: date, in: zone)
        for ahead in -1...8 {
            let day = LocalDay(number: today.number + ahead)
            let instants = slots.filter { $0.weekday == day.weekday }.map { $0.time.instant(on: day, in: zone) }
            if let next = instants.filter({ $0 > date }).min() { return next }
        }
        return nil
    }
}

extension BandwidthTimetable: LosslessStringConvertible {
    /// The names in a timetable; Sunday is 0.
    package static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// The canonical text: `10M`, `off`, `08:00,512K 23:00,off`, and with weekdays if the days differ.
    package var description: String {
        if let constant { return Self.text(constant) }
        let days = (0..<7).map { day in slots.filter { $0.weekday == day }.map { ($0.time, $0.rate) } }
        let isDaily = days.allSatisfy { day in day.elementsEqual(days[0]) { $0 == $1 } }
        return slots.filter { !isDaily || $0.weekday == 0 }.map { slot in
            "\(isDaily ? "" : Self.weekdays[slot.weekday] + "-")\(slot.time),\(Self.text(slot.rate))"
        }.joined(separator: " ")
    }

    /// Reads the text of ``description``; nil for anything else.
    package init?(_ description: String) {
        if !description.contains(",") {
            guard let rate = Self.rate(description) else { return nil }
            self.init(rate: rate)
            return
        }
        var slots: [Slot] = []
        for entry in description.split(separator: " ") {
            let parts = entry.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, let rate = Self.rate(parts[1]) else { return nil }
            let moment = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            guard let time = moment.last.flatMap({ LocalTime($0) }) else { return nil }
            switch moment.count {
            case 1: slots += (0..<7).map { Slot(weekday: $0, time: time, rate: rate) }
            case 2:
                guard let weekday = Self.weekdays.firstIndex(where: { $0 == moment[0] }) else { return nil }
                slots.append(Slot(weekday: weekday, time: time, rate: rate))
            default: return nil
            }
        }
        self.init(slots)
    }

    private static let units: [(letter: Character, power: Int)] = [
        ("T", 40), ("G", 30), ("M", 20), ("K", 10), ("B", 0),
    ]

    private static func text(_ rate: Int64?) -> String {
        guard let rate else { return "off" }
        let unit = units.first { rate >= 1 << $0.power && rate % (1 << $0.power) == 0 } ?? ("B", 0)
        return "\(rate >> unit.power)\(unit.letter)"
    }

    /// Nil if it isn't a rate.
    private static func rate(_ text: some StringProtocol) -> Int64?? {
        if text == "off" { return .some(nil) }
        guard let unit = units.first(where: { $0.letter == text.last }), let number = Int64(text.dropLast()),
            number > 0, number <= Int64.max >> unit.power
        else { return nil }
        return number << unit.power
    }
}

extension BandwidthTimetable: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let timetable = BandwidthTimetable(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no timetable")
        }
        self = timetable
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
