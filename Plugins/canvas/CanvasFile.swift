import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file as the API has it.
///
/// Related: lib/api/v1/attachment.rb of Canvas
struct CanvasFile: Sendable {
    let id: String
    let name: String
    let mediaType: String?
    let size: Int64?
    let createdAt: Date?
    /// Nil if a request for it would need a browser's session: without a secret in it the server asks for a login.
    let address: WebAddress?
    /// The id of its media object, which has the same in other qualities.
    let media: String?
    let lock: CanvasLock?

    init?(_ file: JSONValue) {
        guard let id = CanvasServer.id(file["id"]), let name = file["display_name"]?.string else { return nil }
        (self.id, self.name) = (id, name)
        mediaType = file["content-type"]?.string
        size = file["size"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil }
        createdAt = file["created_at"]?.string.flatMap(WebDate.date)
        let address = file["url"]?.string.flatMap(WebAddress.init)
        self.address = address?.query?.contains("verifier=") == true ? address : nil
        // Without a media object yet it is "maybe".
        media = file["media_entry_id"]?.string.flatMap { ["", "maybe"].contains($0) ? nil : $0 }
        lock = CanvasLock(file)
    }

    func resolution(at address: WebAddress) -> Resolution {
        Resolution(
            url: address.text, size: size,
            // What follows the last dot of a name needn't be one.
            fileExtension: MediaFiles.title(name) == name ? nil : MediaFiles.fileExtension(name), mediaType: mediaType,
            title: MediaFiles.title(name))
    }
}

/// Why the user can't open something.
///
/// Related: lib/api/v1/locked.rb of Canvas
struct CanvasLock: Sendable {
    /// When it opens, if a date is told.
    let availableAt: Date?
    private let isOver: Bool
    private let reason: String

    /// Nil for what isn't locked.
    init?(_ thing: JSONValue?) {
        guard let thing, thing["locked_for_user"] == .bool(true) else { return nil }
        let info = thing["lock_info"]
        availableAt =
            [info?["unlock_at"], info?["context_module"]?["unlock_at"]].lazy
            .compactMap { $0?.string.flatMap(WebDate.date) }.first
        isOver = info?["lock_at"]?.string != nil && availableAt == nil
        reason = thing["lock_explanation"]?.string.map { HTMLStripper.text(of: $0, bound: 300) } ?? "locked"
    }

    func error(at server: WebAddress) -> ProviderError {
        ProviderError(isOver ? .forbidden : .notReady, "\(server.host) says: \(reason)")
    }
}
