package import Hooks
import MediaTransfer
import ProviderKit
package import SyncFacts

extension HookSubject {
    /// A video, by its ids.
    package init(_ reference: VideoReference) {
        self.init(
            course: reference.course, chapter: reference.chapter, video: reference.video, title: reference.title)
    }
}

extension Resolution {
    /// Applies the change of the user's hook command. The token belongs to its origin: another one doesn't get it.
    mutating func become(_ url: String, _ headers: [String: String]) {
        if Origin(url: url) != Origin(url: self.url) { token = nil }
        self.url = url
        self.headers = headers
    }
}

extension TransferRequest {
    /// Applies the change of the user's hook command to a sidecar's request.
    mutating func become(_ url: String, _ headers: [String: String]) {
        if let origin = Origin(url: url), origin != Origin(url: self.url) {
            privateFields = []
            privateQuery = nil
            trustedOrigins = [origin]
        }
        self.url = url
        fields = headers.sorted { $0.key < $1.key }.map { HTTPField(name: $0.key, value: $0.value) }
    }
}
