import MediaTransfer
import NetworkAddresses

/// The segments of a live playlist in the order of the recording (RFC 8216 §6.3.4): those of earlier playlists, those
/// that the newest one adds, and a gap in place of those that it has lost before they were requested. A value without
/// I/O.
package struct RecordedTrack: Sendable, RedactedInPrint {
    /// What a playlist has brought.
    package struct News: Sendable, Equatable {
        /// New segments.
        package var added = 0
        /// Segments that were gone before they were requested.
        package var missed: Int64 = 0
        /// Whether the numbers begin anew, so that nobody knows how many are missing before.
        package var isRenumbered = false

        package init() {}
    }

    /// A gap of so many seconds is no gap: the numbers have changed.
    private static let longestGap = 7.0 * 86_400
    /// A playlist may be older than the last one by so many segments: caches differ.
    private static let staleness = 16

    /// All segments so far. Those of an earlier run have no addresses.
    package private(set) var plan: StreamPlan
    /// What is kept of each segment of ``plan``.
    private var facts: [RecordedSegment]
    /// The index of the first one with the present numbers.
    private var firstNumbered: Int
    /// By index in the plan's maps.
    private var mapNames: [Int64] = []
    /// The number of segments in the last playlist.
    private var lastCount = staleness
    /// Whether a playlist has been read since the track was made.
    private var isProven: Bool
    /// Whether segments are called otherwise each time.
    private var namesVary = false
    /// Segments missed, and places where the numbers began anew.
    private var losses = 0

    /// - Parameters:
    ///   - recorded: of an earlier run, all of them joined.
    ///   - isComparable: whether the playlists to come name the same bytes.
    package init(_ recorded: [RecordedSegment] = [], isComparable: Bool = true) {
        isProven = !isComparable
        facts = recorded
        firstNumbered = recorded.lastIndex { $0.marks.contains(.startsNumbers) } ?? 0
        plan = StreamPlan(recorded)
        losses = recorded.count { $0.marks.contains(.isMissed) } + min(firstNumbered, 1)
    }

    /// Takes the newest playlist.
    ///
    /// - Parameters:
    ///   - next: the index of the first segment that isn't joined.
    ///   - held: those after it that have arrived nevertheless.
    ///   - isAnew: whether its segments are known to have other bytes than those of the same numbers.
    ///   - idle: seconds since the last segment came. A playlist with other numbers has nothing else that is new.
    package mutating func take(
        _ list: StreamPlan, next: Int, held: Set<Int> = [], isAnew: Bool = false, idle: Double = .infinity
    ) -> News {
        var news = News()
        (plan.targetDuration, plan.scope, plan.isLive) = (list.targetDuration, list.scope, list.isLive)
        guard let first = list.segments.first else { return news }
        news.isRenumbered = isAnew || isAnother(list)
        isProven = true
        if news.isRenumbered {
            for index in next..<max(next, facts.count) where !held.contains(index) { miss(index, &news) }
            mapNames = mapNames.map { _ in 0 }
            losses += 1
        } else {
            refresh(list, from: next, held: held, &news)
        }
        let maps = list.maps.map { take($0) }
        if !news.isRenumbered { connect(maps) }
        var marks: RecordedSegment.Marks = []
        var start = 0
        if news.isRenumbered {
            firstNumbered = facts.count
            marks = [.startsDiscontinuity, .startsNumbers]
            start = Self.start(of: list, lasting: idle)
        } else if let last = lastSequence {
            if first.sequence > last + 1 {
                addGap(from: last + 1, first.sequence - last - 1, &news)
                marks = .startsDiscontinuity
            }
            start = list.segments.firstIndex { $0.sequence > last } ?? list.segments.count
        }
        for segment in list.segments[start...] {
            add(segment, map: segment.map.map { maps[$0] }, marks)
            marks = []
            news.added += 1
        }
        lastCount = list.segments.count
        return news
    }

    /// Whether a playlist has the whole recording, so that it should rather be downloaded than what was recorded
    /// continued.
    ///
    /// - Parameter isAnew: as in ``take(_:next:held:isAnew:idle:)``.
    package func isReplaced(by list: StreamPlan, isAnew: Bool = false) -> Bool {
        guard !list.isLive, let first = facts.first, let other = list.segments.first?.sequence,
            list.seconds - list.gapSeconds >= plan.seconds - plan.gapSeconds
        else { return false }
        // One that shares nothing with it is another lecture.
        guard !isAnew, !isAnother(list) else { return false }
        return other < first.sequence || (other == first.sequence && losses > 0)
    }

    /// Whether a playlist has an end mark and more than can have been live since the last segment came: it is no part
    /// of this stream.
    package func isForeign(_ list: StreamPlan, isAnew: Bool = false, idle: Double) -> Bool {
        !list.isLive && (isAnew || isAnother(list)) && list.seconds > Self.longest(of: list, idle: idle)
    }

    /// A joined segment that a playlist still names, whose bytes have to be compared: an encoder that starts anew uses
    /// the same numbers, often with the same names, and a host may call the same segment otherwise each time. Numbers
    /// may have begun anew if a playlist ends earlier than those before, if it has other names, and after a kill.
    ///
    /// - Parameter next: the index of the first segment that isn't joined.
    package func doubt(_ list: StreamPlan, next: Int) -> (index: Int, segment: PlannedSegment)? {
        guard let last = lastSequence, let end = list.segments.last?.sequence, !isAnother(list) else { return nil }
        let present = Dictionary(list.segments.map { ($0.sequence, $0) }, uniquingKeysWith: { one, _ in one })
        for index in (firstNumbered..<max(firstNumbered, min(next, facts.count))).reversed() where facts[index].isMedia
        {
            guard let segment = present[facts[index].sequence], !segment.isGap else { continue }
            let isNamedSo = facts[index].name == RecordedSegment.name(of: segment.url, segment.range)
            return isProven && end >= last && (isNamedSo || namesVary) ? nil : (index, segment)
        }
        return nil
    }

    /// The segment in doubt has the bytes that were joined.
    package mutating func prove(_ list: StreamPlan, next: Int) {
        guard let (index, segment) = doubt(list, next: next) else { return }
        if facts[index].name != RecordedSegment.name(of: segment.url, segment.range) { namesVary = true }
    }

    /// The playlist has ended without a further segment.
    package mutating func end() { plan.isLive = false }

    /// Segments that the host marks as missing.
    package var hostGaps: Int { facts.count { $0.marks.contains(.isGap) } }

    /// Whether a playlist has nothing to do with what was recorded before.
    package func isAnother(_ list: StreamPlan) -> Bool {
        guard let last = facts[firstNumbered...].last(where: { !$0.marks.contains(.isMissed) }),
            let end = list.segments.last
        else { return false }
        if end.sequence < last.sequence - Int64(max(lastCount, Self.staleness)) { return true }
        // So long a gap that the numbers must have changed.
        return secondsMissing(before: list) > Self.longestGap
    }

    /// Nobody waits for a segment any more: it becomes a gap.
    package mutating func skip(_ index: Int) { leaveOut(index, .isRefused) }

    /// The playing time between what was recorded and a playlist; 0 if that continues it.
    package func secondsMissing(before list: StreamPlan) -> Double {
        guard let last = lastSequence, let first = list.segments.first?.sequence else { return 0 }
        return max(0, Double(first) - Double(last) - 1) * Double(max(1, list.targetDuration))
    }

    /// What is kept of the segments from an index on: their part of the list beside the partial.
    package func list(from index: Int) -> [UInt8] { RecordedSegment.bytes(facts[min(index, facts.count)...]) }

    /// The same without the segments from an index on: nobody waits for them any more.
    package func ended(before index: Int) -> StreamPlan {
        var whole = plan
        for segment in whole.segments[min(index, whole.segments.count)...] {
            whole.seconds -= segment.duration
            if segment.isGap { (whole.gaps, whole.gapSeconds) = (whole.gaps - 1, whole.gapSeconds - segment.duration) }
        }
        whole.segments = Array(whole.segments.prefix(index))
        whole.isLive = false
        return whole
    }

    /// Forgets the addresses of joined segments.
    package mutating func forgetAddresses(before index: Int) {
        for number in facts.indices.prefix(index).reversed() {
            guard !plan.segments[number].url.isEmpty else { return }
            plan.segments[number].url = ""
        }
    }

    // MARK: steps

    /// The seconds that a stream can have played since its last segment came, with some for rounding and delays.
    private static func longest(of list: StreamPlan, idle: Double) -> Double {
        idle + 3 * Double(max(1, list.targetDuration))
    }

    /// The index of the first segment that can be new; one at least is.
    private static func start(of list: StreamPlan, lasting idle: Double) -> Int {
        var rest = longest(of: list, idle: idle)
        let count = list.segments.reversed().prefix { segment in
            rest -= segment.duration
            return rest >= 0
        }.count
        return list.segments.count - max(1, count)
    }

    private var lastSequence: Int64? {
        guard let last = facts.last, facts.count > firstNumbered else { return nil }
        return last.sequence
    }

    /// Gives waiting segments their present addresses; those that are gone become gaps.
    private mutating func refresh(_ list: StreamPlan, from next: Int, held: Set<Int>, _ news: inout News) {
        guard let first = list.segments.first?.sequence else { return }
        let present = Dictionary(list.segments.map { ($0.sequence, $0) }, uniquingKeysWith: { one, _ in one })
        for index in next..<max(next, facts.count) where index >= firstNumbered && facts[index].isMedia {
            if let segment = present[facts[index].sequence] {
                (plan.segments[index].url, plan.segments[index].range) = (segment.url, segment.range)
                plan.segments[index].key = segment.key
                facts[index].name = RecordedSegment.name(of: segment.url, segment.range)
            } else if facts[index].sequence < first, !held.contains(index) {
                miss(index, &news)
            }
        }
    }

    /// A segment that waited is gone.
    private mutating func miss(_ index: Int, _ news: inout News) {
        guard facts[index].isMedia else { return }
        leaveOut(index, .isMissed)
        news.missed += 1
        losses += 1
    }

    private mutating func leaveOut(_ index: Int, _ mark: RecordedSegment.Marks) {
        facts[index].marks.insert(mark)
        plan.segments[index].isGap = true
        plan.gaps += 1
        plan.gapSeconds += facts[index].duration
        guard facts.indices.contains(index + 1) else { return }
        facts[index + 1].marks.insert(.startsDiscontinuity)
        plan.segments[index + 1].startsDiscontinuity = true
    }

    /// A gap in place of segments that no playlist has had.
    private mutating func addGap(from sequence: Int64, _ count: Int64, _ news: inout News) {
        let duration = Double(count) * Double(max(1, plan.targetDuration))
        facts.append(
            RecordedSegment(sequence: sequence + count - 1, duration: duration, name: 0, map: 0, marks: .isMissed))
        plan.segments.append(PlannedSegment(url: "", duration: duration, sequence: sequence, isGap: true))
        plan.seconds += duration
        plan.gaps += 1
        plan.gapSeconds += duration
        news.missed += count
        losses += 1
    }

    private mutating func add(_ segment: PlannedSegment, map: Int?, _ marks: RecordedSegment.Marks) {
        var (segment, marks) = (segment, marks)
        segment.map = map
        segment.startsDiscontinuity = segment.startsDiscontinuity || marks.contains(.startsDiscontinuity)
        if segment.startsDiscontinuity { marks.insert(.startsDiscontinuity) }
        if segment.isGap { marks.insert(.isGap) }
        facts.append(
            RecordedSegment(
                sequence: segment.sequence, duration: segment.duration,
                name: RecordedSegment.name(of: segment.url, segment.range), map: map.map { mapNames[$0] } ?? 0,
                marks: marks))
        plan.segments.append(segment)
        plan.seconds += segment.duration
        if segment.isGap { (plan.gaps, plan.gapSeconds) = (plan.gaps + 1, plan.gapSeconds + segment.duration) }
    }

    /// The index of an initialization section, which keeps it as long as its address stays the same.
    private mutating func take(_ map: PlannedMap) -> Int {
        let name = RecordedSegment.name(of: map.url, map.range)
        if let known = mapNames.lastIndex(of: name) {
            plan.maps[known] = map
            return known
        }
        mapNames.append(name)
        plan.maps.append(map)
        return plan.maps.count - 1
    }

    /// The last segment of an earlier run has the section of the first new one: it isn't written again.
    private mutating func connect(_ maps: [Int]) {
        guard let last = facts.lastIndex(where: \.isMedia), plan.segments[last].map == nil, facts[last].map != 0,
            let same = maps.first(where: { mapNames[$0] == facts[last].map })
        else { return }
        plan.segments[last].map = same
    }
}

extension StreamPlan {
    /// The segments of an earlier run.
    fileprivate init(_ recorded: [RecordedSegment]) {
        let gaps = recorded.filter { !$0.isMedia }
        self.init(
            segments: recorded.map {
                PlannedSegment(
                    url: "", duration: $0.duration, sequence: $0.sequence, isGap: !$0.isMedia,
                    startsDiscontinuity: $0.marks.contains(.startsDiscontinuity))
            },
            maps: [], targetDuration: 1, seconds: recorded.reduce(0) { $0 + $1.duration }, gaps: gaps.count,
            gapSeconds: gaps.reduce(0) { $0 + $1.duration }, timeOffset: 0, addressBytes: 0, scope: .world,
            isLive: true, digest: [])
    }
}
