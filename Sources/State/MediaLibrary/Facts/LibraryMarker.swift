import Crypto
import FileSystem
import Foundation
import TextFormats

/// Identifies a library. Made once, by the first sync into it.
package struct LibraryID: RawRepresentable, Sendable, Hashable, Codable {
    /// 32 hexadecimal digits.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// That of a copy of a library, until it is adopted: always the same, since nothing else has recorded it when the
    /// marker is written.
    package static func ofCopy(of original: LibraryID) -> LibraryID {
        LibraryID(rawValue: String(SHA256.hash(data: Array("copy of \(original.rawValue)".utf8)).hex.prefix(32)))
    }

    /// 128 random bits, as 32 hexadecimal digits.
    package static func random() -> LibraryID {
        LibraryID(rawValue: UUID().uuidString.lowercased().filter { $0 != "-" })
    }
}

/// The owner of the library, for messages.
package struct LibraryOwner: Sendable, Hashable {
    package var user: String
    package var host: String

    package init(user: String, host: String) {
        self.user = user
        self.host = host
    }

    /// The user on this machine.
    package static func current(user: String) -> LibraryOwner {
        LibraryOwner(user: user, host: HostName.current)
    }
}

/// The contents of `.coursefetch/library.json`. The id decides; a shard takes over that of a library of its user
/// with as many shards. Anybody may have written it: the values read from it are safe to print, and may be wrong.
package struct LibraryMarker: Sendable, Hashable, Codable {
    /// The deciding id.
    package var id: String
    package var user: String
    package var host: String
    /// The number of shards that write to it; nil if that is one state.
    package var shards: Int?
    /// How often the library was divided anew; nil for never.
    package var division: Int?
    /// `video` if each course's videos are divided among the shards; nil if whole courses are.
    package var unit: String?
    /// The id of the library that it is a copy of; nil for one that belongs to a state. A copy belongs to nobody until
    /// it is adopted.
    package var copyOf: String?

    /// Whether each course's videos are divided among the shards.
    package var dividesVideos: Bool { unit == Self.video }

    private static let video = "video"

    package init(
        id: LibraryID, owner: LibraryOwner, shards: Int? = nil, dividesVideos: Bool = false, division: Int? = nil,
        copyOf original: LibraryID? = nil
    ) {
        copyOf = original?.rawValue
        unit = dividesVideos ? Self.video : nil
        self.id = id.rawValue
        self.user = owner.user
        self.host = owner.host
        self.shards = shards
        self.division = division
    }
}

/// A shard's part of coursefetch's own files in a library that all shards have in common: its partials, moves, list of
/// files and lock.
package struct LibraryPart: Sendable, Hashable {
    /// The name of its folder, in `.coursefetch/shards`.
    package var name: String
    /// The number of all shards.
    package var count: Int
    /// How a new library is marked: whether each course's videos are divided among the shards.
    package var dividesVideos: Bool

    package init(name: String, count: Int, dividesVideos: Bool = false) {
        self.name = name
        self.count = count
        self.dividesVideos = dividesVideos
    }
}

/// The state's knowledge about the library to open.
///
/// The state records a new id as `new` *before* the folder is opened for the first time, and as `known` after. A kill
/// in between leaves either no marker, which `new` creates, or ours, which `new` accepts.
package enum LibraryExpectation: Sendable, Hashable {
    case new(LibraryID)
    case known(LibraryID)

    /// The id, confirmed or not.
    package var id: LibraryID {
        switch self {
        case .new(let id), .known(let id): id
        }
    }
}
