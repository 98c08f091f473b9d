import CourseCatalog
import HLSMedia

extension StreamWish {
    /// What a catalog says.
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
    /// Whether the joined file may hold several that each begin with an initialization section.
    var hasParts: Bool {
        maps.count > 1 || (!maps.isEmpty && segments.dropFirst().contains(where: \.startsDiscontinuity))
    }

    /// When each segment begins, and the end of the last one, in seconds.
    var times: [Double] {
        var times = [0.0]
        times.reserveCapacity(segments.count + 1)
        for segment in segments { times.append((times.last ?? 0) + segment.duration) }
        return times
    }
}

extension StreamSource {
    /// Where the segment is that comes next.
    func nextURL(_ index: Int) -> String? {
        guard let segments = tracks.first?.segments, !segments.isEmpty else { return nil }
        return segments[min(max(0, index), segments.count - 1)].url
    }
}
