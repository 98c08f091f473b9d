package import MediaLibrary
package import SystemPackage

extension LibraryFolder {
    /// A new library, or the one that is there, as the helper program opens it.
    package static func testing(
        _ root: FilePath, part: LibraryPart? = nil, stepwise: Bool = false
    ) throws(LibraryError) -> LibraryFolder {
        try open(
            root, expecting: .new(LibraryID(rawValue: "test")), owner: LibraryOwner(user: "alice", host: "here"),
            part: part, isStepwise: stepwise)
    }

    /// Makes a partial with this text.
    @discardableResult
    package func write(_ text: String, to download: Int64) throws -> PartialName {
        let name = PartialName(download: download)
        let partial = try partials.open(name)
        try partial.truncate(to: 0)
        try partial.descriptor.writeAll(text.utf8)
        try partial.flush()
        return name
    }
}
