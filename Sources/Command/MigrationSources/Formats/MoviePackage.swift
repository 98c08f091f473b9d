import Foundation
import XMLSource

/// What a package of downloaded HLS (`.movpkg`) says of itself: `boot.xml`, which lists its streams.
struct MoviePackage: Equatable {
    struct Stream: Equatable {
        var folder: String
        /// The playlist's address.
        var address: String?
        /// Whether the package says that it is complete.
        var isComplete: Bool
    }

    /// Of the playlist from which it was downloaded.
    var address: String?
    var streams: [Stream] = []

    init(_ bytes: [UInt8]) throws(FormatFault) {
        guard let root = XMLElement(bytes) else { throw .malformed }
        guard root.name == "HLSMoviePackage" else { throw .foreign }
        address = root.child("MasterPlaylist")?.child("NetworkURL")?.words
        for stream in root.child("Streams")?.children ?? [] where stream.name == "Stream" {
            guard let folder = stream.attributes["Path"] ?? stream.attributes["ID"] else { throw .malformed }
            streams.append(
                Stream(
                    folder: folder, address: stream.attributes["NetworkURL"],
                    isComplete: stream.child("Complete")?.words == "YES"))
        }
    }
}

/// What a stream of such a package says of itself: `StreamInfoBoot.xml`, with its fragments.
struct MovieStream: Equatable {
    /// A fragment in a file of its own.
    struct Fragment: Equatable {
        var path: String
        /// In bytes; nil if it isn't there.
        var size: Int64?
        var number: Int64?
    }

    var isComplete: Bool
    /// The name of its playlist in its folder.
    var playlist: String?
    /// What precedes the fragments of MP4.
    var initial: [Fragment]
    /// In order.
    var fragments: [Fragment]

    init(_ bytes: [UInt8]) throws(FormatFault) {
        guard let root = XMLElement(bytes) else { throw .malformed }
        guard root.name == "StreamInfo" else { throw .foreign }
        isComplete = root.child("Complete")?.words == "YES"
        playlist = root.child("MediaPlaylist")?.child("PathToLocalCopy")?.words
        initial = try Self.fragments(root.child("MediaInitializationSegments"), "ISEG")
        fragments = try Self.fragments(root.child("MediaSegments"), "SEG")
    }

    private static func fragments(_ list: XMLElement?, _ name: String) throws(FormatFault) -> [Fragment] {
        var found: [Fragment] = []
        for element in list?.children ?? [] where element.name == name {
            guard let path = element.attributes["PATH"] else { throw .malformed }
            let size = element.attributes["Len"].flatMap { Int64($0) }
            found.append(
                Fragment(path: path, size: size, number: element.attributes["SeqNum"].flatMap { Int64($0) }))
        }
        // They are written as they came, and numbered where they belong.
        guard found.allSatisfy({ $0.number != nil }) else { return found }
        return found.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
    }
}

/// What in a stream's own playlist decides whether its fragments, one after the other, are the media.
struct MoviePlaylist: Equatable {
    var segments = 0
    var isEncrypted = false
    var hasInitial = false
    var isWhole = false

    init(_ bytes: [UInt8]) throws(FormatFault) {
        // Some end with a zero.
        guard let text = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) else { throw .notText }
        guard text.hasPrefix("#EXTM3U") else { throw .foreign }
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#EXTINF:") { segments += 1 }
            if line.hasPrefix("#EXT-X-KEY:"), !line.contains("METHOD=NONE") { isEncrypted = true }
            if line.hasPrefix("#EXT-X-MAP:") { hasInitial = true }
            if line.hasPrefix("#EXT-X-ENDLIST") { isWhole = true }
        }
    }
}

extension XMLElement {
    /// The first child of this name; these documents have one namespace.
    fileprivate func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
}
