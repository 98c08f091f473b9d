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

extension RequestFacts {
    /// A request as the user's hook commands get it: without the headers that belong to an origin.
    init(_ subject: HookSubject, purpose: String, url: String, sending fields: [HTTPField]) {
        let shown = fields.filter { !$0.isPrivateByName }
        self.init(
            subject, purpose: purpose, url: url,
            headers: Dictionary(shown.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last }))
    }
}

extension Resolution {
    var fields: [HTTPField] { headers.sorted { $0.key < $1.key }.map { HTTPField(name: $0.key, value: $0.value) } }

    /// A track in the place of the media. Of headers that it takes from the media, it has those that its server gets.
    func alone(_ track: Track) -> Resolution {
        Resolution(
            url: track.url, token: track.token, headers: track.headers.isEmpty ? headers(for: track.url) : track.headers
        )
    }

    /// Applies the change of the user's hook command. Token, cookies and the like belong to their origins: another one
    /// doesn't get them, but for what the command itself gives it.
    mutating func become(_ change: RequestChange) {
        let origin = Origin(url: change.url)
        let own = [url] + (token?.origins ?? [])
        if !own.contains(where: { Origin(url: $0) == origin }) { token = nil }
        // Those without a place of their own are for the URL's.
        if origin != Origin(url: url) { tokens.removeAll { $0.origins.isEmpty && $0.urlPrefix == nil } }
        var isOwn = origin == Origin(url: url) || token != nil
        if let base = inherited, base.takesHeaders {
            isOwn = origin == Origin(url: url)
            let named = change.named.contains { HTTPField(name: $0, value: "").isPrivateByName }
            if !isOwn || named {
                // From now on they are its own: those that its server got.
                isOwn = ([base.url] + (base.token?.origins ?? [])).contains { Origin(url: $0) == origin }
                inherited?.takesHeaders = false
            }
        }
        url = change.url
        headers = change.headers.merging(isOwn ? withheld(from: change) : [:]) { $1 }
    }

    private func withheld(from change: RequestChange) -> [String: String] {
        let withheld = fields.withheld(from: change)
        return Dictionary(withheld.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension Resolution.Track {
    /// Takes over what the hook commands made of it.
    mutating func become(_ asked: Resolution) { (url, headers, token) = (asked.url, asked.headers, asked.token) }
}

extension Resolution.Stream {
    /// Takes over what the hook commands made of it.
    mutating func become(_ asked: Resolution) {
        (url, headers, token, tracks) = (asked.url, asked.headers, asked.token, asked.tracks)
        inherited = asked.inherited
    }
}

extension TransferRequest {
    /// Applies the change of the user's hook command to a sidecar's request, by the same rule.
    mutating func become(_ change: RequestChange) {
        var withheld = fields.withheld(from: change)
        let isChanged =
            Origin(url: change.url) != Origin(url: url)
            || change.named.contains { HTTPField(name: $0, value: "").isPrivateByName }
        if isChanged, let origin = Origin(url: change.url), !trustedOrigins.contains(origin) {
            withheld = []
            secrets = secrets.filter { $0.isFor(change.url) }
            trustedOrigins = [origin]
        }
        url = change.url
        fields = change.headers.sorted { $0.key < $1.key }.map { HTTPField(name: $0.key, value: $0.value) } + withheld
    }
}

extension [HTTPField] {
    /// The fields that a command didn't get, and didn't name either.
    fileprivate func withheld(from change: RequestChange) -> [HTTPField] {
        filter { $0.isPrivateByName && !change.named.contains($0.name.lowercased()) }
    }
}
