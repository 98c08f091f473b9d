import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files of a video, by their definitions, each at the addresses of several CDNs.
///
/// Related: BJVPlayInfo.h, BJVDefinitionInfo.h and PMVideoInfoModel.h of the vendor's iOS player
struct BaiJiaYunMedia: Sendable, PrintsRedacted {
    struct File: Sendable, PrintsRedacted {
        var address: WebAddress
        var kind = Resolution.Kind.file
        var size: Int64?
        var expiresAt: Date?
    }

    /// What a catalog and a user want.
    struct Wish: Sendable {
        /// In order of preference.
        var definitions: [String]
        var quality: [String]
        /// The server that has refused a file for another reason than its address, which no other address there helps.
        var refusedBy: String?
        var now: Date

        init(_ request: ResolveRequest) {
            definitions = (request.video.parameters["definition"]?.list ?? []).compactMap(\.string).map {
                // The word of the player's older header, which migrated catalogs have.
                $0 == "superhigh" ? "superHD" : $0
            }
            quality = request.quality
            now = request.now
            if let previous = request.previous, previous.reason == .rejected, ![401, 403].contains(previous.status) {
                refusedBy = previous.server
            }
        }
    }

    /// The best first. Heights of the first two are in their names; of the others an answer may tell them.
    private static let definitions = ["1080p", "720p", "superHD", "high", "low"]
    /// Addresses are good for six hours.
    private static let life: TimeInterval = 6 * 3600 - 600

    /// An answer with `play_info`.
    let answer: JSONValue
    let server: WebAddress

    /// The file of the first definition that there is, else of the quality; nil without any.
    func file(_ wish: Wish) -> File? {
        guard !isMarkedEncrypted else { return nil }
        let entries = (answer["play_info"]?.object ?? [:]).sorted {
            (Self.rank($0.key), $0.key) < (Self.rank($1.key), $1.key)
        }
        var found: [(name: String, rendition: Rendition<File>)] = []
        for (name, entry) in entries {
            guard let rendition = rendition(name, entry, wish) else { continue }
            found.append((name, rendition))
        }
        for name in wish.definitions {
            if let match = found.first(where: { $0.name == name }) { return match.rendition.media }
        }
        return RenditionChoice.of(found.map(\.rendition), quality: wish.quality)
    }

    /// Whether there are files, but none that another program than the vendor's players can read.
    var isEncrypted: Bool {
        isMarkedEncrypted
            || (answer["play_info"]?.object ?? [:]).values.contains { entry in
                places(of: entry).contains { $0["enc_url"]?.string?.isEmpty == false || isEncrypted($0) }
            }
    }

    private var isMarkedEncrypted: Bool {
        [.bool(true), .int(1), .string("1")].contains(answer["is_encrypt"])
            || ["ev1", "ev2"].contains(answer["format"])
    }

    private static func rank(_ definition: String) -> Int {
        definitions.firstIndex(of: definition) ?? definitions.count
    }

    private func rendition(_ name: String, _ entry: JSONValue, _ wish: Wish) -> Rendition<File>? {
        let open = places(of: entry).compactMap { place in
            isEncrypted(place) ? nil : address(place).map { (place: place, address: $0) }
        }
        guard let (place, address) = open.first(where: { $0.address.origin != wish.refusedBy }) ?? open.first else {
            return nil
        }
        let isSound = name == "audio"
        let end = MediaFiles.fileExtension(address.lastName)
        let isPlaylist = end == "m3u8" || !isSound && end == nil && answer["format"]?.string == "m3u8"
        func positive(_ value: JSONValue?) -> Int64? { value?.wholeNumber.flatMap { $0 > 0 ? $0 : nil } }
        let size = positive(place["size"]) ?? positive(entry["size"])
        let height =
            positive(place["height"]).flatMap { Int(exactly: $0) } ?? (name.hasSuffix("p") ? Int(name.dropLast()) : nil)
        let duration = answer["duration"]?.number.flatMap { $0 > 0 ? $0 : nil }
        let bitrate = size.flatMap { size in duration.map { Double(size) * 8 / 1000 / $0 } }
        return Rendition(
            media: File(
                address: address, kind: isPlaylist ? .hls : .file, size: isPlaylist ? nil : size,
                expiresAt: Self.end(of: address, wish.now)),
            height: isSound ? nil : height, bitrate: bitrate, hasPicture: !isSound)
    }

    /// `getUrl` has one address of a definition, the players' API has several.
    private func places(of entry: JSONValue) -> [JSONValue] { entry["cdn_list"]?.list ?? [entry] }

    /// Some answers leave out the scheme.
    private func address(_ place: JSONValue) -> WebAddress? {
        place["url"]?.string.flatMap { $0.isEmpty ? nil : server.resolving($0) }
    }

    private func isEncrypted(_ place: JSONValue) -> Bool {
        ["ev1", "ev2"].contains(address(place).flatMap { MediaFiles.fileExtension($0.lastName) })
    }

    /// `t` of an address is a time in hexadecimal. Whether its beginning or its end isn't documented: one that isn't
    /// ahead can't be the end.
    private static func end(of address: WebAddress, _ now: Date) -> Date {
        let usual = now.addingTimeInterval(life)
        guard let field = address.query?.split(separator: "&").first(where: { $0.hasPrefix("t=") }),
            let seconds = Int64(field.dropFirst(2), radix: 16), let end = Date(seconds: .int(seconds)),
            end > now.addingTimeInterval(300)
        else { return usual }
        return min(usual, end)
    }
}
