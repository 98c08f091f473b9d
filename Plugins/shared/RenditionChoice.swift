/// A file or stream in which a host has a video.
struct Rendition<Media: Sendable>: Sendable {
    var media: Media
    /// In lines; nil if the host doesn't tell it.
    var height: Int?
    /// In kilobits per second, or anything that grows with it among the renditions of one video; nil if it isn't told.
    var bitrate: Double?
    var hasPicture = true
}

/// Which of a video's renditions has the requested quality.
enum RenditionChoice {
    /// The first quality that a rendition has decides: a height or a bitrate means the best one at or below it. If none
    /// has any, the lowest is taken. Of equal ones the first counts.
    ///
    /// - Parameter quality: in the protocol's form: `best`, `worst`, `audio`, `720p`, `2500k`.
    static func of<Media: Sendable>(_ renditions: [Rendition<Media>], quality: [String]) -> Media? {
        let pictures = sorted(renditions.filter(\.hasPicture))
        let sounds = sorted(renditions.filter { !$0.hasPicture })
        let usual = pictures.isEmpty ? sounds : pictures
        for wanted in quality {
            switch wanted {
            case "best": return usual.last?.media
            case "worst": return usual.first?.media
            case "audio": if let sound = sounds.last { return sound.media }
            default:
                guard let unit = wanted.last, let bound = Double(wanted.dropLast()) else { continue }
                let within = usual.last {
                    (unit == "p" ? $0.height.map(Double.init) : $0.bitrate).map { $0 <= bound } == true
                }
                if let within { return within.media }
            }
        }
        return quality.isEmpty ? usual.last?.media : usual.first?.media
    }

    /// The worst first; what tells no height is before those that do.
    private static func sorted<Media: Sendable>(_ renditions: [Rendition<Media>]) -> [Rendition<Media>] {
        // Reversed, so that of equal ones the first is the last.
        renditions.reversed().enumerated().sorted { one, other in
            let (a, b) = (one.element, other.element)
            let (low, high) = ((a.height ?? 0, a.bitrate ?? 0), (b.height ?? 0, b.bitrate ?? 0))
            return low == high ? one.offset < other.offset : low < high
        }.map(\.element)
    }
}
