import CourseCatalog
import Crypto
import DownloadStore
import FileSystem
import Foundation
import HLSMedia
import MediaTransfer
import TextFormats

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
        var list = LengthPrefixed(.littleEndian)
        func add(_ url: String, _ range: Range<Int64>?, _ key: PlannedKey?) {
            list.add(url)
            list.add(range)
            list.add(key?.url ?? "")
            list.add(withoutLength: key?.iv ?? [])
            if list.bytes.count >= 65_536 { hash.update(data: list.take()) }
        }
        for plan in tracks {
            list.add(Int64(plan.segments.count))
            for segment in plan.segments {
                add(segment.url, segment.range, segment.key)
                list.add(Int64(segment.map ?? -1))
                list.add(segment.isGap ? 1 : 0)
            }
            for map in plan.maps { add(map.url, map.range, map.key) }
        }
        hash.update(data: list.bytes)
        return StreamDigest(hash.finalize())
    }
}

extension StreamPlan {
    /// The host of the segment with this index; nil if there is none.
    func host(of index: Int) -> String? {
        segments.indices.contains(index) ? Origin(url: segments[index].url)?.text : nil
    }
}
