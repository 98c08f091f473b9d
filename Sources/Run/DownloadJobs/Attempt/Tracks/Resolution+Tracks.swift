import CourseCatalog
import DownloadStore
import FilePlacement
import HLSMedia
import ProviderKit

extension Resolution {
    /// Leaves the tracks that the catalog asks for, in the order in which they come into the file.
    mutating func chooseTracks(by settings: CourseCatalog.Settings) {
        let preference = StreamPreference(settings)
        tracks = tracks.chosen(by: preference)
        for number in streams.indices { streams[number].tracks = streams[number].tracks.chosen(by: preference) }
    }

    /// What each of its files is: the picture, then the tracks. Equal ones are numbered.
    var trackLabels: [String] {
        var counts: [String: Int] = [:]
        return [""]
            + tracks.map { track in
                let label = "\(track.kind.rawValue) \(track.lang ?? "")"
                counts[label, default: 0] += 1
                return "\(label) \(counts[label, default: 0])"
            }
    }
}

extension [Resolution.Track] {
    fileprivate func chosen(by preference: StreamPreference) -> [Resolution.Track] {
        guard !isEmpty else { return [] }
        let offers = map { track in
            TrackChoice.Offer(isSound: track.kind == .audio, language: track.lang, isDefault: track.isDefault)
        }
        return TrackChoice.indexes(of: offers, preference).prefix(DownloadKind.mostTracks).map { self[$0] }
    }
}
