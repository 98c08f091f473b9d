/// The times of a representation's segments, one after the other. Related: ISO/IEC 23009-1 §5.3.9.6.
struct SegmentTimes: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        var number: Int64
        /// On the media's clock, in units of the timescale.
        var start: Int64
        /// In units of the timescale.
        var duration: Int64
    }

    /// The part of a segment that the end of a period may exceed: durations are rounded.
    private static let tolerance = 1e-4

    private let information: SegmentInformation
    /// The playing time, in units; nil if it isn't known.
    private let total: Double?
    private let line: Int
    private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - period: the duration of the period in seconds; nil if it isn't known.
    ///   - count: the number of segments that are listed; nil if the times decide.
    init(_ information: SegmentInformation, period: Double?, count: Int? = nil) throws(PresentationError) {
        self.information = information
        line = information.line
        total = period.map { $0 * Double(information.timescale ?? 1) }
        if let timeline = information.timeline {
            try take(timeline)
        } else if let duration = information.duration {
            try take(duration: duration, count: count)
        } else if count == 1 || information.form == .template && information.endNumber == information.startNumber ?? 1 {
            guard let period else { throw PresentationError(.noDuration, line: line) }
            let units = Int64(max(1, (period * Double(information.timescale ?? 1)).rounded()))
            try append(number: first, start: offset, duration: units)
        } else {
            throw PresentationError(.noDuration, line: line)
        }
    }

    private var first: Int64 { information.startNumber ?? 1 }
    private var offset: Int64 { information.timeOffset ?? 0 }

    /// Segments that all have one duration; the last one has the rest.
    private mutating func take(duration: Int64, count: Int?) throws(PresentationError) {
        var number: Int64
        if let count {
            number = Int64(count)
        } else if let end = information.endNumber {
            number = max(0, end - first + 1)
        } else {
            guard let total else { throw PresentationError(.noDuration, line: line) }
            number = try Self.count(of: duration, in: total, line: line)
        }
        guard number <= Int64(PlaylistLimit.segments) else { throw PresentationError(.tooMany(.segments), line: line) }
        entries.reserveCapacity(Int(number))
        for index in 0..<number {
            let (past, isTooMuch) = index.multipliedReportingOverflow(by: duration)
            guard !isTooMuch, past <= PlaylistLimit.integer else {
                throw PresentationError(.value("duration"), line: line)
            }
            var own = duration
            if index == number - 1, let total, case let rest = total - Double(past), rest >= 1, rest < Double(duration)
            {
                own = Int64(rest.rounded())
            }
            try append(number: first + index, start: offset + past, duration: own)
        }
    }

    private mutating func take(_ timeline: [SegmentInformation.Run]) throws(PresentationError) {
        var (time, number) = (offset, first)
        if let start = timeline.first?.start { time = start }
        for (index, run) in timeline.enumerated() {
            time = run.start ?? time
            number = run.number ?? number
            var count: Int64
            if let repeats = run.repeats {
                count = repeats + 1
            } else {
                let next = index + 1 < timeline.count ? timeline[index + 1].start.map(Double.init) : nil
                guard let end = next ?? total.map({ $0 + Double(offset) }) else {
                    throw PresentationError(.noDuration, line: run.line)
                }
                count = try Self.count(of: run.duration, in: end - Double(time), line: run.line)
            }
            guard count <= Int64(PlaylistLimit.segments - entries.count) else {
                throw PresentationError(.tooMany(.segments), line: run.line)
            }
            while count > 0 {
                try append(number: number, start: time, duration: run.duration)
                count -= 1
                number += 1
                time += run.duration
            }
        }
    }

    /// How many segments of a duration begin within so many units.
    private static func count(of duration: Int64, in units: Double, line: Int) throws(PresentationError) -> Int64 {
        let count = (units / Double(duration) - tolerance).rounded(.up)
        guard count <= Double(PlaylistLimit.segments) else { throw PresentationError(.tooMany(.segments), line: line) }
        return count > 0 ? Int64(count) : 0
    }

    /// Sums stay below 2^63: each is checked before the next one is made of it.
    private mutating func append(number: Int64, start: Int64, duration: Int64) throws(PresentationError) {
        guard start <= PlaylistLimit.integer, number <= PlaylistLimit.integer,
            information.seconds(duration) <= PlaylistLimit.seconds
        else { throw PresentationError(.value("duration"), line: line) }
        entries.append(Entry(number: number, start: start, duration: duration))
    }
}
