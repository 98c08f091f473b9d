import MediaLibrary
import SyncFacts

extension Refusal.Copying {
    /// Whole sentences for the user, remedies included.
    var message: String {
        switch self {
        case .noFolder(let path): "there is no folder \(path); if it is on a disk that isn't mounted, mount it"
        case .inLibrary(let path): "\(path) is in the library itself; name a folder outside it"
        case .notCopy(let path, let marker) where marker.copyOf != nil:
            "\(path) is the copy of another library; nothing was changed. Name another folder"
        case .notCopy(let path, let marker):
            """
            \(path) is the library of a state (user \(marker.user) on \(marker.host)) and not a copy; nothing was \
            changed. Name another folder
            """
        case .noRoom(let needed, let free, let folder):
            """
            \(Wording.size(needed)) are to be copied, and the disk of \(folder) has \(Wording.size(free)) free; \
            nothing was copied. Name fewer courses or videos, or a larger disk
            """
        }
    }
}
