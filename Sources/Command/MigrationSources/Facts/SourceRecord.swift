package import FileSystem

/// What another downloader's store says of one video. Nothing in it is trusted: names, paths and sizes are as the
/// store has them.
package struct SourceRecord: Sendable, Equatable {
    /// How far the other downloader got.
    package enum State: Sendable, Equatable {
        /// The store says that it has every byte.
        case finished
        /// Some of the bytes, or none.
        case unfinished
        /// The store has a file and nothing that tells whether it is complete: only its server can.
        case unproven
        /// It can't be taken over before something else has happened.
        case held(SourceHold)
    }

    /// Identifies it in its source, the same at every reading.
    package var key: String
    /// What a map, or a catalog, may call it: ids, keys, file names; the most exact one first.
    package var names: [String] = []
    /// Of the media, or of the page that has it; nil if the store has none.
    package var url: String?
    /// The ids by which the store knows it; a catalog may use the same ones.
    package var course: String?
    package var chapter: String?
    package var video: String?
    /// For a new catalog.
    package var title: String?
    package var courseTitle: String?
    package var chapterTitle: String?
    package var cover: String?
    /// Further values for a new catalog, by the names of the parameters.
    package var parameters: [String: String] = [:]
    /// In seconds.
    package var duration: Double?
    package var state: State
    /// Of a finished one: the complete file. Of an unfinished one: a file that is complete nevertheless, or nil. Of an
    /// unproven one: a file that may be complete.
    package var file: SourceFile?
    /// Files that belong to it, and without which it isn't complete.
    package var companions: [SourceFile] = []
    /// Bytes of an unfinished one.
    package var partial: SourcePartial?
    /// The reason why nothing of it can be used; nil if something can.
    package var fault: RecordFault?

    package init(key: String, state: State) {
        self.key = key
        self.state = state
    }

    /// The bytes that count only once their server has proven them: its partial, or an unproven file.
    package var unprovenBytes: SourcePartial? {
        guard state == .unproven, let file else { return partial }
        var bytes = SourcePartial(path: file.path)
        bytes.isWholeFile = true
        return bytes
    }
}

package struct SourceFile: Sendable, Equatable {
    /// Relative to the source's folder.
    package var path: String
    /// The files in the folder `path` whose bytes, one after the other, are the file; empty for a file by itself.
    package var parts: [String] = []
    /// In bytes, as the store has it; nil if it doesn't say.
    package var size: Int64?
    /// As the store has it; nil if it doesn't say.
    package var sha256: Checksum?

    /// The paths of all files with its bytes, in order.
    package var pieces: [String] { parts.isEmpty ? [path] : parts.map { "\(path)/\($0)" } }

    package init(path: String, parts: [String] = [], size: Int64? = nil, sha256: Checksum? = nil) {
        self.path = path
        self.parts = parts
        self.size = size
        self.sha256 = sha256
    }
}

/// The bytes of a file that isn't complete.
package struct SourcePartial: Sendable, Equatable {
    /// Relative to the source's folder.
    package var path: String
    /// How many bytes from the beginning on the store claims; nil for all that the file has.
    package var length: Int64?
    /// The size of the complete file; nil if the store doesn't say.
    package var total: Int64?
    /// Whether all of the file counts, which may be complete.
    package var isWholeFile = false

    package init(path: String, length: Int64? = nil, total: Int64? = nil) {
        self.path = path
        self.length = length
        self.total = total
    }
}

/// What a held record needs first.
package enum SourceHold: Sendable, Equatable {
    /// The other downloader's server was still preparing it.
    case preparing
    /// It belongs to another user of the other downloader.
    case ofUser(String)
    /// The store doesn't tell which video it is: a map has to.
    case unnamed
}

/// The reason why a record can't be used.
package enum RecordFault: Error, Sendable, Equatable {
    case missing(field: String)
    case wrongType(field: String)
    /// A number or word that the format doesn't have.
    case unknownValue(field: String)
    /// A path that leaves the source, or no path at all.
    case badPath(String)
    /// Its own file isn't in its format, or is larger than any real one.
    case unreadable(path: String, FormatFault?)
    /// A key that an earlier record of the source has.
    case repeated
}

/// The reason why bytes aren't in a format.
package enum FormatFault: Error, Sendable, Equatable {
    /// It isn't in this format at all.
    case foreign
    /// It ends in the middle.
    case truncated
    /// Something in it contradicts the format.
    case malformed
    /// Deeper than any real one, or it contains itself.
    case tooDeep
    /// Larger than any real one.
    case tooLarge
    /// Text that isn't UTF-8, or UTF-16 where the format has that.
    case notText
    /// At this line, counted from 1.
    case line(Int)
}

/// The reason why a source, or a map, can't be read at all.
package enum SourceProblem: Error, Sendable, Equatable {
    /// Nothing is at this path.
    case missing(path: String)
    /// It is at this path, and can't be opened or read.
    case unreadable(path: String, errno: CInt)
    /// A folder where this kind has a file, or the other way round.
    case notAFolder(path: String)
    case notAFile(path: String)
    /// It isn't what its kind says.
    case badFormat(path: String, FormatFault)
    /// A column or key that this file needs.
    case missingField(path: String, String)
    /// The folder has nothing of this kind: the names that were looked for.
    case nothingFound(path: String, expected: [String])
}

/// Key, names and URL may hold secrets.
extension SourceRecord: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: ["state": state, "fault": fault as Any]) }
}
