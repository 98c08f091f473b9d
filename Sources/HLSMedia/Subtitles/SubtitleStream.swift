/// Subtitles that come in segments: one text.
package enum SubtitleStream {
    /// How many segments are on their way at a time, the download's own connection included.
    private static let width = 4
    /// The largest segment, in bytes.
    private static let limit: Int64 = 8 << 20

    /// Fetches the media playlist at `url` and its segments, and joins them. Segments marked as gaps are left out.
    package static func load(_ url: String, access: StreamAccess) async -> Result<[UInt8], StreamSource.Problem> {
        let plan: StreamPlan
        // Nothing to choose: a playlist of subtitles names its segments itself.
        switch await StreamSource.load(url, wish: StreamWish(), access: access) {
        case .success(let source): plan = source.tracks[0]
        case .failure(let problem): return .failure(problem)
        }
        var joiner = WebVTTJoiner()
        let keys = KeyRing()
        var time = 0.0
        for first in stride(from: 0, to: plan.segments.count, by: width) {
            let indices = first..<min(first + width, plan.segments.count)
            let bodies = await withTaskGroup(of: (Int, Result<[UInt8], StreamFailure>).self) { group in
                for index in indices where !plan.segments[index].isGap {
                    group.addTask { (index, await fetch(plan.segments[index], index, access, keys)) }
                }
                var bodies: [Int: Result<[UInt8], StreamFailure>] = [:]
                for await (index, body) in group { bodies[index] = body }
                return bodies
            }
            for index in indices {
                switch bodies[index] {
                case .success(let bytes)?:
                    do { try joiner.add(bytes, start: .seconds(time)) } catch {
                        return .failure(.failure(.notMedia(.segment(index))))
                    }
                case .failure(let failure)?: return .failure(.failure(failure))
                case nil: break
                }
                time += plan.segments[index].duration
            }
        }
        return .success(Array(joiner.joined().utf8))
    }

    private static func fetch(
        _ segment: PlannedSegment, _ index: Int, _ access: StreamAccess, _ keys: KeyRing
    ) async -> Result<[UInt8], StreamFailure> {
        let answer = await access.fetch(segment.url, range: segment.range, part: .segment(index), maxSize: limit)
        guard case .success(var bytes) = answer.result, let key = segment.key else { return answer.result }
        switch await keys.cipher(key.url, access) {
        case .failure(let failure): return .failure(failure)
        case .success(let cipher):
            do { try cipher.decrypt(&bytes, iv: key.iv) } catch { return .failure(.cipher(.segment(index))) }
            return .success(bytes)
        }
    }
}
