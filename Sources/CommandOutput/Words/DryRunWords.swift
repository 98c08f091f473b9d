import Operations

/// Why a sync would do something, in a few words.
extension DryRunItem.Reason {
    var words: String {
        switch self {
        case .new: "new"
        case .notBegun: "not begun"
        case .unfinished: "unfinished"
        case .fetchedAgain: "to be fetched again; the file that is there stays until then"
        case .renamed: "its name or place changed"
        case .standing: "a file stands there; it is kept if it has the catalog's SHA-256"
        case .sameFile: "the library has the same file already"
        case .perhapsSame(let path, let other): "\(other.words); linked to \(path) if that proves to be the same file"
        case .follows: "linked once the same video of another course is there"
        case .perhapsFollows(let other): "\(other.words); linked if another course's proves to be the same file"
        case .contradicted: "the catalog's size or checksum contradicts the file"
        case .lost: "its file is missing from the library"
        case .incomplete: "something that belongs beside it is missing"
        case .gone: "no longer in its catalog"
        case .goneHeld: "no longer in its catalog, but --max-delete holds it"
        case .goneUnfinished: "no longer in its catalog, but it stays while others are failed"
        }
    }
}
