/// Reads one kind of source. It opens nothing outside its ``SourceFolder``, writes nothing, and holds no more than its
/// index in memory: records are handed out one by one.
package protocol SourceReader: Sendable {
    /// Fails if the source isn't of this kind at all.
    init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem)

    /// Calls `body` with each record, in the same order at every reading. A record that can't be used has a
    /// ``SourceRecord/fault``; the others aren't affected.
    func read(_ body: (SourceRecord) throws -> Void) throws

    /// The paths of the store's own files that belong to no record: databases, archives, control files. They are
    /// removed with the source.
    func storeFiles() throws -> [String]
}

/// What the user says of a source beside its place.
package struct SourceOptions: Sendable, Equatable {
    /// The user whose records are meant, in the other downloader's words; nil for the only one.
    package var user: String?
    /// A list, or an archive, of what else is in the folder, relative to it; nil for the usual names.
    package var list: String?

    package init(user: String? = nil, list: String? = nil) {
        self.user = user
        self.list = list
    }
}
