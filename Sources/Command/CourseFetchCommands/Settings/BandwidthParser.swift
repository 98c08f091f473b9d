import SyncFacts

/// Reads a bandwidth in rclone's format: a rate, or a timetable such as `08:00,512K 23:00,off`, where an entry may
/// begin with a weekday, `Mon-08:00,512K`. Entries are separated by blanks or semicolons.
enum BandwidthParser {
    /// The timetable; of two entries for the same moment the later one counts.
    static func parse(_ text: String) throws(ValueError) -> BandwidthTimetable {
        let entries = text.split { $0 == " " || $0 == ";" }
        guard entries.contains(where: { $0.contains(",") }) else {
            return BandwidthTimetable(rate: try ByteAmount.parseRate(text))
        }
        var slots: [BandwidthTimetable.Slot] = []
        for entry in entries { slots += try self.slots(String(entry)) }
        return BandwidthTimetable(slots)
    }

    private static func slots(_ entry: String) throws(ValueError) -> [BandwidthTimetable.Slot] {
        let parts = entry.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .notASlot(entry) }
        // rclone's two directions: nothing is uploaded here.
        guard !parts[1].contains(":") else { throw .twoRates(String(parts[1])) }
        let rate = try ByteAmount.parseRate(String(parts[1]))
        let moment = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard let time = moment.last.flatMap({ LocalTime($0) }), moment.count <= 2 else { throw .notASlot(entry) }
        guard moment.count == 2 else { return (0..<7).map { .init(weekday: $0, time: time, rate: rate) } }
        guard let weekday = weekday(moment[0]) else { throw .notAWeekday(String(moment[0])) }
        return [.init(weekday: weekday, time: time, rate: rate)]
    }

    private static let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// Three letters or the whole name, in any case.
    private static func weekday(_ text: Substring) -> Int? {
        let text = text.lowercased()
        return names.firstIndex { $0 == text || $0.prefix(3) == text }
    }
}
