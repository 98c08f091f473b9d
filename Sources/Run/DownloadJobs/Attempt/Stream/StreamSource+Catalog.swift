import CourseCatalog
import Crypto
import DownloadStore
import FileSystem
import Foundation
import HLSMedia

extension StreamPreference {
    init(_ settings: CourseCatalog.Settings) {
        let quality = settings.quality.map { quality -> Quality in
            switch quality {
            case .best: .best
            case .worst: .worst
            case .audio: .audio
            case .height(let lines): .height(lines)
            case .bitrate(let kilobits): .bitrate(kilobits: kilobits)
            }
        }
        let subtitles: Subtitles =
            switch settings.subtitles {
            case .none: .none
            case .all: .all
            case .languages(let languages): .languages(languages)
            }
        self.init(quality: quality, audio: settings.audio, subtitles: subtitles)
    }
}

extension StreamPlan {
    /// Whether the joined file may contain several parts that each begin with an initialization section.
    var hasParts: Bool {
        maps.count > 1 || (!maps.isEmpty && segments.dropFirst().contains(where: \.startsDiscontinuity))
    }

    /// The start of each segment, and the end of the last one, in seconds.
    var times: [Double] {
        var times = [0.0]
        times.reserveCapacity(segments.count + 1)
        for segment in segments { times.append((times.last ?? 0) + segment.duration) }
        return times
    }
}

extension StreamSource {
    /// Digest of all requests: of each segment and map the exact address, the byte range and the key. Equal digests
    /// mean equal bytes; newly signed addresses give another one.
    var contentDigest: StreamDigest {
        var hash = SHA256()
        let add = { (hash: inout SHA256, text: String) in
            withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Data(text.utf8))
        }
        let number = { (hash: inout SHA256, number: Int64) in
            withUnsafeBytes(of: number.littleEndian) { hash.update(bufferPointer: $0) }
        }
        let part = { (hash: inout SHA256, url: String, range: Range<Int64>?, key: PlannedKey?) in
            add(&hash, url)
            number(&hash, range?.lowerBound ?? -1)
            number(&hash, range?.upperBound ?? -1)
            add(&hash, key?.url ?? "")
            hash.update(data: Data(key?.iv ?? []))
        }
        for plan in tracks {
            number(&hash, Int64(plan.segments.count))
            for segment in plan.segments {
                part(&hash, segment.url, segment.range, segment.key)
                number(&hash, Int64(segment.map ?? -1))
                number(&hash, segment.isGap ? 1 : 0)
            }
            for map in plan.maps { part(&hash, map.url, map.range, map.key) }
        }
        return StreamDigest(hash.finalize())
    }

    /// The URL of the next segment.
    func nextURL(_ index: Int) -> String? {
        guard let segments = tracks.first?.segments, !segments.isEmpty else { return nil }
        return segments[min(max(0, index), segments.count - 1)].url
    }
}
