import MediaTransfer

/// The initialization sections of a stream, and the one of the last written segment.
struct InitializationSections: Sendable {
    /// The limit on each, and on all of them together, in bytes: they are held in memory.
    static let limit: Int64 = 4 << 20
    private static let totalLimit = 8 << 20

    /// By their numbers in the plan.
    private var sections: [Int: [UInt8]] = [:]
    private var last: [UInt8]?

    /// The bytes to write before a segment of this section; empty if the section is in effect already.
    func bytes(before map: Int, isNewPart: Bool) -> [UInt8] {
        guard let section = sections[map], section != last || isNewPart else { return [] }
        return section
    }

    /// Notes that a segment of this section has been written.
    mutating func written(_ map: Int) { if let section = sections[map] { last = section } }

    /// Downloads those that segments from `next` on need, and that of the last written segment.
    ///
    /// - Parameter isIndexed: whether the file may contain several different ones.
    mutating func fetch(
        of plan: StreamPlan, from next: Int, isIndexed: Bool, _ access: StreamAccess, _ keys: KeyRing
    ) async -> (failure: StreamFailure?, received: Int64) {
        let before = plan.segments[..<next].last { !$0.isGap }?.map
        let needed = Set(plan.segments[next...].compactMap { $0.isGap ? nil : $0.map })
        // If the stream has only one, it is in the file already.
        if !isIndexed, needed.isEmpty || (plan.maps.count == 1 && before != nil) { return (nil, 0) }
        var received: Int64 = 0
        for number in Set([before].compactMap(\.self)).union(needed).sorted() where sections[number] == nil {
            let map = plan.maps[number]
            let answer = await access.fetch(map.url, range: map.range, part: .initialization, maxSize: Self.limit)
            received += answer.received
            switch answer.result {
            case .failure(let failure): return (failure, received)
            case .success(let bytes):
                do throws(StreamFailure) { sections[number] = try await open(bytes, of: map, access, keys) } catch {
                    access.failed(map.url)
                    return (error, received)
                }
            }
            if sections.values.reduce(0, { $0 + $1.count }) > Self.totalLimit {
                return (.transfer(.tooLong(.maximum), .initialization), received)
            }
            if !isIndexed, Set(sections.values).count > 1 {
                return (.severalInitializations(.initialization), received)
            }
        }
        if last == nil, let before { last = sections[before] }
        return (nil, received)
    }

    private func open(
        _ bytes: [UInt8], of map: PlannedMap, _ access: StreamAccess, _ keys: KeyRing
    ) async throws(StreamFailure) -> [UInt8] {
        var cipher: SegmentCipher?
        if let key = map.key { cipher = try await keys.cipher(key.url, access).get() }
        let body = try SegmentBody(bytes, opening: cipher, iv: map.key?.iv, .initialization)
        guard body.kind == .fragmentedMP4 || body.kind == .webM else { throw .notMedia(.initialization) }
        return body.bytes
    }
}
