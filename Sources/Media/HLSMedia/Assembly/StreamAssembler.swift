import Dispatch
package import MediaTransfer
import Synchronization

/// Joins the segments of one playlist to one file: downloads several at a time, decrypts them, and appends them
/// strictly in order to a partial. Nothing else is stored on disk.
///
/// It lives over all attempts of the stream: segments that have arrived before their turn stay, also while a new URL is
/// requested. One ``run(plan:access:)`` at a time.
package actor StreamAssembler {
    /// The limit on held, requested and predicted bytes; only the segment that all others wait for may exceed it.
    static let windowBytes = 40 << 20
    /// The bytes of buffers kept for reuse.
    private static let spareBytes = 8 << 20
    /// The new bytes that are worth a write to disk of their own.
    private static let writebackBytes: Int64 = 16 << 20

    private enum Arrival: Sendable {
        case segment(Int, SegmentBody, received: Int64)
        case failed(Int, StreamFailure, received: Int64)
    }

    private let partial: PartialFile
    private let index: PartialFile?
    private let concurrency: Int
    private let keepsTags: Bool
    private let keepsFile: Bool
    private let writing = DispatchQueue(label: "stream", qos: .userInitiated)
    private var window: ReorderWindow<SegmentBody>
    private let memory: SegmentMemoryBudget
    private let keys = KeyRing()
    private var maps = InitializationSections()
    private var kind: MediaKind?
    private var spares: [[UInt8]] = []
    private let state: Mutex<StreamPosition>
    private let transferred = Atomic<Int64>(0)

    /// - Parameters:
    ///   - partial: with the length in `position`.
    ///   - count: segments of the plan.
    ///   - concurrency: the limit on segments downloaded at a time.
    ///   - index: the file for the ``JoinedPiece`` of each segment; with the length in `position`. With one, several
    ///     initialization sections may follow each other in the file.
    ///   - keepsTags: whether the ID3 tags before segments of packed audio stay: a playlist needs their times (RFC 8216
    ///     §3.4), a file only the first one.
    ///   - keepsFile: whether the joined file itself is wanted: then it goes to disk as it grows, so that its last
    ///     flush is short. One that only ffmpeg reads is deleted soon.
    package init(
        partial: PartialFile, position: StreamPosition, count: Int, concurrency: Int, index: PartialFile? = nil,
        keepsTags: Bool = false, keepsFile: Bool = false
    ) {
        self.partial = partial
        self.index = index
        self.concurrency = max(1, concurrency)
        self.keepsTags = keepsTags
        self.keepsFile = keepsFile
        window = ReorderWindow(
            count: count, next: position.next, width: concurrency, byteLimit: Self.windowBytes)
        memory = SegmentMemoryBudget(limit: Self.windowBytes, next: position.next)
        state = Mutex(position)
    }

    /// Its progress in written bytes, not durable ones. Any thread.
    package nonisolated var position: StreamPosition { state.withLock { $0 } }

    /// Bytes received over the network, in all attempts. Any thread.
    package nonisolated var received: Int64 { transferred.load(ordering: .relaxed) }

    /// The kind of the joined file; nil as long as it is empty or unknown.
    package var container: MediaKind? {
        if kind == nil { try? recognize() }
        return kind
    }

    /// The segments that have arrived before their turn.
    package var waiting: Set<Int> { window.waiting }

    /// Whether a host gives a segment.
    package func isThere(_ segment: PlannedSegment, _ access: StreamAccess) async -> Bool {
        let arrival = await Self.fetch(index: position.next, segment, access, keys, memory: memory, reusing: [])
        _ = memory.ended(position.next)
        guard case .segment = arrival else { return false }
        return true
    }

    /// Whether a segment has other bytes than the one that was joined at this index; nil if its host doesn't tell.
    /// Needs the index of pieces.
    package func differs(_ segment: PlannedSegment, from number: Int, _ access: StreamAccess) async -> Bool? {
        let arrival = await Self.fetch(index: number, segment, access, keys, memory: memory, reusing: [])
        _ = memory.ended(number)
        guard case .segment(_, let body, let count) = arrival, let index,
            let pieces = try? JoinedPiece.read(number + 1, from: index), pieces.count == number + 1
        else { return nil }
        transferred.add(count, ordering: .relaxed)
        let bytes = body.bytes[skipped(body, number)...]
        let start = pieces[..<number].reduce(pieces[number].initialization) { $0 + $1.bytes }
        guard bytes.count == pieces[number].media else { return true }
        return (try? partial.bytes(at: start, count: bytes.count)).map { !bytes.elementsEqual($0) }
    }

    /// The plan has more segments.
    package func grow(to count: Int) { window.grow(to: count) }

    /// Drops segments that have arrived before their turn: a stream that waits for long uses no memory.
    package func rest() {
        window.release()
        spares = []
        memory.update(held: window.heldBytes, next: window.next)
    }

    /// Downloads and appends the missing segments. Nil when complete; otherwise the reason why it can't continue now.
    ///
    /// - Parameters:
    ///   - plan: with URLs that are valid now, and the segments of the earlier plans.
    ///   - limit: so many bytes are enough; no more segments are requested then.
    ///   - appended: called after each segment; gets the kind of the joined file.
    package func run(
        plan: StreamPlan, access: StreamAccess, limit: Int64 = .max,
        appended: @escaping @Sendable (MediaKind?) -> Void = { _ in }
    ) async -> StreamFailure? {
        let access = access.confined(to: plan.scope)
        if let failure = await prepare(plan, access) { return failure }
        var failure: StreamFailure?
        // The additional connections, by the segments that they were requested for.
        var extras: [Int: String] = [:]
        await withTaskGroup(of: Arrival.self) { group in
            repeat {
                while failure == nil, !Task.isCancelled, position.bytes < limit, let index = window.candidate {
                    let segment = plan.segments[index]
                    if segment.isGap {
                        window.start(index)
                        window.arrived(index, SegmentBody(), bytes: 0)
                        continue
                    }
                    guard access.isUsable() else {
                        failure = .expired
                        break
                    }
                    if window.inFlight > extras.count {
                        guard await access.enter(segment.url) else { break }
                        extras[index] = segment.url
                    }
                    window.start(index)
                    let spare = spares.popLast() ?? []
                    group.addTask { [keys, memory] in
                        await Self.fetch(index: index, segment, access, keys, memory: memory, reusing: spare)
                    }
                }
                if let problem = await appendReady(plan, appended) { failure = problem }
                guard window.inFlight > 0 else { continue }
                let arrival = await group.next()
                switch arrival {
                case .segment(let index, let body, let count)?:
                    transferred.add(count, ordering: .relaxed)
                    _ = memory.ended(index)
                    window.arrived(index, body, bytes: body.bytes.count)
                    memory.update(held: window.heldBytes, next: window.next)
                    if let url = extras.removeValue(forKey: index) { await access.leave(url) }
                case .failed(let index, let reason, let count)?:
                    transferred.add(count, ordering: .relaxed)
                    if let url = extras.removeValue(forKey: index) { await access.leave(url) }
                    if let size = memory.ended(index), case .transfer(.tooLong(.maximum), _) = reason {
                        window.refused(index, bytes: size)
                        continue
                    }
                    window.failed(index)
                    // Results of the others are kept, and the first failure counts.
                    failure = failure ?? reason
                case nil: break
                }
            } while window.inFlight > 0
                || (failure == nil && !Task.isCancelled && position.bytes < limit && !window.isComplete)
        }
        for url in extras.values { await access.leave(url) }
        if failure?.verdict != .disk { failure = await appendReady(plan, appended) ?? failure }
        return await judged(failure) ?? (window.isComplete ? nil : .transfer(.cancelled, .segment(window.next)))
    }

    /// A key that has decrypted segments before is right: then this response is wrong.
    private func judged(_ failure: StreamFailure?) async -> StreamFailure? {
        guard case .encrypted(let part) = failure else { return failure }
        await keys.forget()
        return kind == nil ? failure : .notMedia(part)
    }

    // MARK: before the first segment

    /// Determines the contents of the partial, and downloads the initialization sections that are still needed.
    private func prepare(_ plan: StreamPlan, _ access: StreamAccess) async -> StreamFailure? {
        let start = position
        do throws(FileError) { if kind == nil { try recognize() } } catch { return .file(error) }
        guard !window.isComplete else { return nil }
        var sections = maps
        let answer = await sections.fetch(of: plan, from: start.next, isIndexed: index != nil, access, keys)
        maps = sections
        transferred.add(answer.received, ordering: .relaxed)
        return await judged(answer.failure)
    }

    /// Determines the contents of a partial that isn't empty.
    private func recognize() throws(FileError) {
        guard position.bytes > 0 else { return }
        // A tag with a picture may come first.
        kind = MediaKind.recognize(try partial.prefix(8 << 10))
        if kind == nil { kind = MediaKind.recognize(try partial.prefix(2 << 20)) }
    }

    // MARK: one segment

    private static func fetch(
        index: Int, _ segment: PlannedSegment, _ access: StreamAccess, _ keys: KeyRing, memory: SegmentMemoryBudget,
        reusing spare: [UInt8]
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
            segment.url, range: segment.range, part: part, maxSize: SegmentBody.limit, reusing: spare
        ) { memory.admits(index, $0) }
        switch answer.result {
        case .failure(let failure): return .failed(index, failure, received: answer.received)
        case .success(let bytes):
            do throws(StreamFailure) {
                let body = try SegmentBody(bytes, opening: cipher, iv: segment.key?.iv, part)
                return .segment(index, body, received: answer.received)
            } catch {
                access.failed(segment.url)
                return .failed(index, error, received: answer.received)
            }
        }
    }

    // MARK: the file

    /// Appends the segments that are next in order.
    private func appendReady(_ plan: StreamPlan, _ appended: (MediaKind?) -> Void) async -> StreamFailure? {
        while !window.isComplete {
            let index = window.next
            guard let body = window.pop() else { return nil }
            if let failure = await append(body, index, plan) {
                window.putBack(body, bytes: body.bytes.count)
                return failure
            }
            memory.update(held: window.heldBytes, next: window.next)
            keepSpare(body.bytes)
            appended(kind)
        }
        return nil
    }

    /// Keeps a buffer for reuse; those of unusually large segments aren't worth their memory.
    private func keepSpare(_ bytes: [UInt8]) {
        guard bytes.capacity > 0, spares.count < concurrency,
            spares.reduce(bytes.capacity, { $0 + $1.capacity }) <= Self.spareBytes
        else { return }
        spares.append(bytes)
    }

    private func append(_ body: SegmentBody, _ index: Int, _ plan: StreamPlan) async -> StreamFailure? {
        let segment = plan.segments[index]
        var initialization: [UInt8] = []
        if let found = body.kind {
            if let kind, kind != found { return .mixedKinds(kind, found, .segment(index)) }
            kind = found
            if let map = segment.map {
                // A restart can only be distinguished from a continuation if it begins like a file.
                let isNewPart = self.index != nil && beginsAnew(index, plan)
                initialization = maps.bytes(before: map, isNewPart: isNewPart)
            }
        }
        let target = Target(partial: partial, index: self.index, writeback: keepsFile ? Self.writebackBytes : nil)
        let (head, start) = (initialization, skipped(body, index))
        let problem: FileError? = await withCheckedContinuation { continuation in
            writing.async {
                continuation.resume(returning: target.write(head, body.bytes, from: start, number: index))
            }
        }
        if let problem { return .file(problem) }
        if let map = segment.map, body.kind != nil { maps.written(map) }
        state.withLock { $0 = StreamPosition(next: index + 1, bytes: partial.length) }
        return nil
    }

    /// Whether there is a discontinuity between a segment and the last one that isn't a gap.
    private func beginsAnew(_ index: Int, _ plan: StreamPlan) -> Bool {
        if plan.segments[index].startsDiscontinuity { return true }
        let gaps = plan.segments[..<index].reversed().prefix { $0.isGap }
        return gaps.contains(where: \.startsDiscontinuity)
    }

    /// The length of the ID3 tags before packed audio that aren't written to the file.
    private func skipped(_ body: SegmentBody, _ index: Int) -> Int {
        guard !keepsTags, index > 0, [.adts, .mp3, .ac3, .eac3].contains(body.kind) else { return 0 }
        return body.bytes.withUnsafeBytes { ID3Tag.totalLength(in: $0) }
    }

    /// The destination of the bytes.
    private struct Target: Sendable {
        let partial: PartialFile
        let index: PartialFile?
        let writeback: Int64?

        /// The index first: its entry for a missing segment is ignored.
        func write(_ head: [UInt8], _ bytes: [UInt8], from start: Int, number: Int) -> FileError? {
            do {
                let piece = JoinedPiece(initialization: Int64(head.count), media: Int64(max(0, bytes.count - start)))
                if let index { try piece.write(number, to: index) }
                try head.withUnsafeBytes { head in
                    try bytes.withUnsafeBytes { bytes in
                        try partial.append(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(start)), after: head)
                    }
                }
                if let writeback { partial.startWriteback(step: writeback) }
                return nil
            } catch {
                return error as? FileError ?? .closed
            }
        }
    }
}
