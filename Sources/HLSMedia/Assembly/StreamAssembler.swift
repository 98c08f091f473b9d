import Dispatch
package import MediaTransfer
import Synchronization

/// Joins the segments of one playlist to one file: fetches several at a time, decrypts them, and appends them strictly in
/// order to a partial. Nothing else is kept on disk.
///
/// It lives over as many attempts as the stream takes: what has arrived before its turn stays, also while a new URL is
/// asked for. One ``run(_:access:)`` at a time.
package actor StreamAssembler {
    /// The largest segment, in bytes: it is held in memory.
    package static let segmentLimit: Int64 = 512 << 20
    /// The largest initialization section and key.
    static let smallLimit: Int64 = 16 << 20
    /// How many bytes may be held or foretold.
    static let windowBytes = 40 << 20

    private enum Arrival: Sendable {
        case segment(Int, [UInt8], received: Int64)
        case failed(Int, StreamFailure, received: Int64)
    }

    private let partial: PartialFile
    private let index: PartialFile?
    private let concurrency: Int
    private let keepsTags: Bool
    private let writing = DispatchQueue(label: "stream", qos: .userInitiated)
    private var window: ReorderWindow<[UInt8]>
    private let keys = KeyRing()
    /// Initialization sections by their number in the plan.
    private var maps: [Int: [UInt8]] = [:]
    /// The one that what is written last belongs to.
    private var lastMap: [UInt8]?
    private var kind: MediaKind?
    private var spares: [[UInt8]] = []
    private let state: Mutex<StreamPosition>
    private let transferred = Atomic<Int64>(0)

    /// - Parameters:
    ///   - partial: as long as `position` says.
    ///   - count: segments of the plan.
    ///   - concurrency: how many segments are fetched at a time, at most.
    ///   - index: where the ``JoinedPiece`` of each segment goes; as long as `position` says. With one, several
    ///     initialization sections may follow each other in the file.
    ///   - keepsTags: whether the ID3 tags in front of segments of packed audio stay: a playlist needs their times
    ///     (RFC 8216 §3.4), a file doesn't.
    package init(
        partial: PartialFile, position: StreamPosition, count: Int, concurrency: Int, index: PartialFile? = nil,
        keepsTags: Bool = false
    ) {
        self.partial = partial
        self.index = index
        self.concurrency = max(1, concurrency)
        self.keepsTags = keepsTags
        window = ReorderWindow(
            count: count, next: position.next, width: concurrency, byteLimit: Self.windowBytes)
        state = Mutex(position)
    }

    /// How far it has come: bytes that are written, not durable ones. Any thread.
    package nonisolated var position: StreamPosition { state.withLock { $0 } }

    /// Bytes that came over the network, of all attempts. Any thread.
    package nonisolated var received: Int64 { transferred.load(ordering: .relaxed) }

    /// Fetches what is missing and appends it. Nil when all is there; else why it can't go on now.
    ///
    /// - Parameter plan: with URLs that are good now, and the segments that the earlier plans had.
    package func run(plan: StreamPlan, access: StreamAccess) async -> StreamFailure? {
        if let failure = await prepare(plan, access) { return failure }
        var failure: StreamFailure?
        var extras: [String] = []
        await withTaskGroup(of: Arrival.self) { group in
            repeat {
                while failure == nil, !Task.isCancelled, let index = window.candidate {
                    let segment = plan.segments[index]
                    if segment.isGap {
                        window.start(index)
                        window.arrived(index, [], bytes: 0)
                        continue
                    }
                    if window.inFlight > 0 {
                        guard await access.enter(segment.url) else { break }
                        extras.append(segment.url)
                    }
                    window.start(index)
                    let spare = spares.popLast() ?? []
                    group.addTask { [keys] in await Self.fetch(index, segment, access, keys, reusing: spare) }
                }
                if failure == nil { failure = await appendReady(plan) }
                guard window.inFlight > 0 else { continue }
                switch await group.next() {
                case .segment(let index, let bytes, let count)?:
                    transferred.add(count, ordering: .relaxed)
                    window.arrived(index, bytes, bytes: bytes.count)
                case .failed(let index, let reason, let count)?:
                    transferred.add(count, ordering: .relaxed)
                    window.failed(index)
                    // What the others still bring is kept, and the first word counts.
                    failure = failure ?? reason
                case nil: break
                }
                while extras.count > max(0, window.inFlight - 1), let url = extras.popLast() {
                    await access.leave(url)
                }
            } while window.inFlight > 0 || (failure == nil && !Task.isCancelled && !window.isComplete)
        }
        for url in extras { await access.leave(url) }
        let problem = await appendReady(plan)
        return problem ?? failure ?? (window.isComplete ? nil : .transfer(.cancelled, .segment(window.next)))
    }

    /// What the joined file is; nil as long as nothing of it is there, or nothing known.
    package var container: MediaKind? { kind }

    // MARK: before the first segment

    /// Fetches the initialization sections, and finds out what is in the partial already.
    private func prepare(_ plan: StreamPlan, _ access: StreamAccess) async -> StreamFailure? {
        let start = position
        if kind == nil, start.bytes > 0 {
            do throws(FileError) {
                kind = MediaKind.recognize(try partial.prefix(8 << 10))
            } catch { return .file(error) }
        }
        guard !window.isComplete else { return nil }
        // Of a stream with one, that one is in the file already.
        if start.next > 0, plan.maps.count == 1, index == nil { return nil }
        for (number, map) in plan.maps.enumerated() where maps[number] == nil {
            let answer = await access.fetch(
                map.url, range: map.range, part: .initialization, maxSize: Self.smallLimit)
            transferred.add(answer.received, ordering: .relaxed)
            switch answer.result {
            case .failure(let failure): return failure
            case .success(var bytes):
                if let key = map.key {
                    switch await keys.cipher(key.url, access) {
                    case .failure(let failure): return failure
                    case .success(let cipher):
                        do { try cipher.decrypt(&bytes, iv: key.iv) } catch { return .cipher(.initialization) }
                    }
                }
                guard MediaKind.recognize(bytes) == .fragmentedMP4 else {
                    return map.key == nil ? .notMedia(.initialization) : .encrypted(.initialization)
                }
                maps[number] = bytes
            }
        }
        if lastMap == nil, start.next > 0 { lastMap = plan.segments[start.next - 1].map.flatMap { maps[$0] } }
        if index == nil, Set(maps.values).count > 1 { return .severalInitializations(.initialization) }
        return nil
    }

    // MARK: one segment

    private static func fetch(
        _ index: Int, _ segment: PlannedSegment, _ access: StreamAccess, _ keys: KeyRing, reusing spare: [UInt8]
    ) async -> Arrival {
        let part = StreamFailure.Part.segment(index)
        var cipher: SegmentCipher?
        if let key = segment.key {
            switch await keys.cipher(key.url, access) {
            case .failure(let failure): return .failed(index, failure, received: 0)
            case .success(let found): cipher = found
            }
        }
        let answer = await access.fetch(
            segment.url, range: segment.range, part: part, maxSize: segmentLimit, reusing: spare)
        switch answer.result {
        case .failure(let failure): return .failed(index, failure, received: answer.received)
        case .success(var bytes):
            if let cipher, let key = segment.key {
                do { try cipher.decrypt(&bytes, iv: key.iv) } catch {
                    // What is no media even before it is decrypted is an answer of another kind.
                    let isPage = MediaKind.recognize(bytes) == .page
                    return .failed(index, isPage ? .notMedia(part) : .cipher(part), received: answer.received)
                }
            }
            return .segment(index, bytes, received: answer.received)
        }
    }

    // MARK: the file

    /// Appends what is there in order.
    private func appendReady(_ plan: StreamPlan) async -> StreamFailure? {
        while !window.isComplete {
            let index = window.next
            guard let bytes = window.pop() else { return nil }
            let segment = plan.segments[index]
            if let failure = await append(bytes, segment, index) {
                // Another answer may be a better one.
                if failure.verdict == .disk { window.putBack(bytes, bytes: bytes.count) } else { window.reject() }
                return failure
            }
            if bytes.capacity > 0, spares.count < concurrency { spares.append(bytes) }
        }
        return nil
    }

    private func append(_ bytes: [UInt8], _ segment: PlannedSegment, _ index: Int) async -> StreamFailure? {
        var skipped = 0
        var initialization: [UInt8]?
        if !segment.isGap {
            let part = StreamFailure.Part.segment(index)
            guard let found = MediaKind.recognize(bytes), found.isMedia else {
                return segment.key == nil ? .notMedia(part) : .encrypted(part)
            }
            if let kind, kind != found { return .mixedKinds(kind, found, part) }
            kind = found
            if !keepsTags, [.adts, .mp3, .ac3, .eac3].contains(found) {
                skipped = bytes.withUnsafeBytes { ID3Tag.totalLength(in: $0) }
            }
            if let map = segment.map.flatMap({ maps[$0] }) {
                // What begins anew can only be told apart from what was before if it begins as a file does.
                let isNewPart = self.index != nil && segment.startsDiscontinuity
                if map != lastMap || isNewPart { initialization = map }
            }
        }
        let (target, place) = (Target(partial: partial, index: self.index), skipped)
        let problem: FileError? = await withCheckedContinuation { continuation in
            writing.async { [initialization] in
                continuation.resume(returning: target.write(initialization, bytes, from: place, number: index))
            }
        }
        if let problem { return .file(problem) }
        if let initialization { lastMap = initialization }
        state.withLock { $0 = StreamPosition(next: index + 1, bytes: partial.length) }
        return nil
    }

    /// Where the bytes go.
    private struct Target: Sendable {
        let partial: PartialFile
        let index: PartialFile?

        /// The index first: what it says of a segment that isn't there counts for nothing.
        func write(_ initialization: [UInt8]?, _ bytes: [UInt8], from start: Int, number: Int) -> FileError? {
            do {
                let head = initialization ?? []
                let piece = JoinedPiece(initialization: Int64(head.count), media: Int64(max(0, bytes.count - start)))
                if let index { try piece.write(number, to: index) }
                try head.withUnsafeBytes { head in
                    try bytes.withUnsafeBytes { bytes in
                        try partial.append(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(start)), after: head)
                    }
                }
                return nil
            } catch {
                return error as? FileError ?? .closed
            }
        }
    }
}
