package import MediaLibrary

extension Refusal {
    /// A problem with the folder that a library is copied to.
    package enum Copying: Sendable, Equatable {
        /// The folder in which it would be made doesn't exist.
        case noFolder(String)
        /// It is the library, or is in it.
        case inLibrary(String)
        /// It is the library of a state, or the copy of another library.
        case notCopy(String, LibraryMarker)
        /// Its disk has too little free space.
        case noRoom(needed: Int64, free: Int64, folder: String)

        var condition: SyncCondition {
            switch self {
            case .inLibrary: .usage
            case .noFolder, .notCopy, .noRoom: .stateUnusable
            }
        }
    }
}
