import MediaTransfer

/// Joins subtitle segments to one text.
package struct SubtitleStream: Sendable, Equatable {
    /// The limit on segments in transfer.
    private static let width = 4
    /// The largest segment, in bytes.
    private static let limit: Int64 = 4 << 20
    /// Of its playlist and the addresses in it, in bytes.
    private static let playlistLimit = 4 << 20

    /// WebVTT.
    package var text: [UInt8]
    /// Segments that the playlist marks as missing.
    package var gaps: Int
    /// Bytes received over the network for it.
    package var received: Int64

    /// Downloads the media playlist at `url` and its segments, and joins them. Segments marked as gaps are omitted.
    ///
    /// - Parameter origin: the time of the media at the beginning of the video, in ticks of 90 kHz; nil if unknown.
    package static func load(
        _ url: String, origin: UInt64?, access: StreamAccess
    ) async -> Result<SubtitleStream, StreamSource.Problem> {
        // No selection: a playlist of subtitles names its segments itself.
        switch await StreamSource.load(
            url, preference: StreamPreference(), access: access, textLimit: playlistLimit, addressLimit: playlistLimit)
        {
        case .success(let source): await load(source.tracks[0], origin: origin, access: access)
        case .failure(let problem): .failure(problem)
        }
    }

    /// The same for segments that are known.
    package static func load(
        _ plan: StreamPlan, origin: UInt64?, access: StreamAccess
    ) async -> Result<SubtitleStream, StreamSource.Problem> {
        let access = access.confined(to: plan.scope)
        var joiner = WebVTTJoiner(origin: origin)
        var stream = SubtitleStream(text: [], gaps: plan.gaps, received: 0)
        let keys = KeyRing()
        var time = 0.0
        for first in stride(from: 0, to: plan.segments.count, by: width) {
            let indices = first..<min(first + width, plan.segments.count)
            let answers = await fetch(indices, of: plan, access, keys)
            for index in indices {
                stream.received += answers[index]?.received ?? 0
                switch answers[index]?.result {
                // A period without speech may be an empty file.
                case .failure(.transfer(.empty, _)), nil: break
                case .failure(let failure): return .failure(.failure(failure))
                case .success(let bytes):
                    do throws(WebVTTError) {
                        try joiner.add(bytes, start: .seconds(time))
                    } catch .tooLarge {
                        return .failure(.failure(.transfer(.tooLong(.maximum), .segment(index))))
                    } catch {
                        return .failure(.failure(.notMedia(.segment(index))))
                    }
                }
                time += plan.segments[index].duration
            }
        }
        stream.text = Array(joiner.joined().utf8)
        return .success(stream)
    }

    /// Some of the segments, as many at a time as there are connections.
    private static func fetch(
        _ indices: Range<Int>, of plan: StreamPlan, _ access: StreamAccess, _ keys: KeyRing
    ) async -> [Int: StreamAccess.Answer] {
        await withTaskGroup(of: (Int, StreamAccess.Answer).self) { group in
            var answers: [Int: StreamAccess.Answer] = [:]
            var count = 0
            var extras: [Int: String] = [:]
            func take() async {
                guard let (index, answer) = await group.next() else { return }
                answers[index] = answer
                count -= 1
                if let url = extras.removeValue(forKey: index) { await access.leave(url) }
            }
            for index in indices where !plan.segments[index].isGap {
                let segment = plan.segments[index]
                while count > extras.count {
                    if await access.enter(segment.url) { extras[index] = segment.url } else { await take() }
                }
                count += 1
                group.addTask { (index, await fetch(segment, at: index, access, keys)) }
            }
            while count > 0 { await take() }
            return answers
        }
    }

    private static func fetch(
        _ segment: PlannedSegment, at index: Int, _ access: StreamAccess, _ keys: KeyRing
    ) async -> StreamAccess.Answer {
        var answer = await access.fetch(segment.url, range: segment.range, part: .segment(index), maxSize: limit)
        guard case .success(let bytes) = answer.result, let key = segment.key else { return answer }
        switch await keys.cipher(key.url, access) {
        case .failure(let failure): answer.result = .failure(failure)
        case .success(let cipher):
            do throws(StreamFailure) {
                answer.result = .success(try SegmentBody(bytes, opening: cipher, iv: key.iv, .segment(index)).bytes)
            } catch { answer.result = .failure(error) }
        }
        return answer
    }
}
