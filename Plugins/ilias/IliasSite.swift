import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An installation of ILIAS as a user sees it, by the session of a browser. There is no API for students.
struct IliasSite: Sendable, PrintsRedacted {
    /// Words in the addresses of pages that want something of the user before any other page is shown: terms of use, a
    /// new password, a profile that isn't complete.
    private static let demands = [
        "termsofservice", "legaldocuments", "dataprotection", "acceptance", "ilstartupgui", "ilpasswordassistance",
        "ilpersonalprofile", "ilpersonalsettings", "ilprofilegui",
    ]
    private static let partBound = 100

    /// The installation's root, with a slash at its end.
    let address: WebAddress
    private let client: HTTPClient

    init(_ endpoint: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings, now: Date) {
        address = endpoint.replacing(path: endpoint.path.hasSuffix("/") ? endpoint.path : endpoint.path + "/")
        var client = HTTPClient(settings: settings, confinedTo: address)
        client.cookies = HostLogins(credentials).entry(for: address)?["session"]?.string.map { CookieJar($0, at: now) }
        self.client = client
    }

    // MARK: - Pages

    /// The page of an object, with all that it lists.
    ///
    /// - Parameter link: where another page says that it is.
    func object(_ target: IliasTarget, at link: WebAddress? = nil) async throws(ProviderError) -> IliasPage {
        let page: IliasPage
        if let link, isOwn(link), link.path.hasSuffix("/ilias.php") {
            page = try await self.page(link, of: target)
        } else {
            page = try await self.page(place(of: target), of: target)
        }
        return try await whole(page, of: target)
    }

    /// A page with what is on others of the same object, if it shows the object's contents.
    private func whole(_ page: IliasPage, of target: IliasTarget) async throws(ProviderError) -> IliasPage {
        var page = page
        if !page.showsContents, let contents = page.contents { page = try await self.page(contents, of: target) }
        var seen: Set<WebAddress> = []
        while let more = page.hiddenSessions.first(where: { isOwn($0) && seen.insert($0).inserted }),
            seen.count < Self.partBound
        {
            page = try await self.page(more, of: target)
        }
        try await complete(&page)
        // Of a course that one may not see, one gets to know how to join it. Where there are tabs, that of the contents
        // shows what is empty.
        let type = page.target?.type ?? ""
        let hasContents = ["crs", "grp"].contains(type) || page.hasTabs && ["fold", "cat"].contains(type)
        if page.items.isEmpty, !page.showsContents, hasContents || page.offersRegistration {
            throw ProviderError(.forbidden, "\(address.host) doesn't show the contents of this to this account")
        }
        return page
    }

    /// A page that somebody who is logged in sees.
    func page(_ address: WebAddress) async throws(ProviderError) -> IliasPage {
        do throws(ProviderError) {
            return try checked(try await response(.init("GET", address)))
        } catch {
            // ILIAS refuses with a page. What stands before it says nothing of the object.
            guard error.kind == .forbidden else { throw error }
            throw ProviderError(.unavailable, error.message, server: self.address.origin)
        }
    }

    /// The response to a request for which there has to be a session, whatever it shows.
    func response(_ request: HTTPRequest) async throws(ProviderError) -> HTTPResponse {
        guard hasSession else { throw noSession }
        return try await client.fetch(request)
    }

    /// The response as a page of ILIAS for a user who is logged in.
    func checked(_ response: HTTPResponse) throws(ProviderError) -> IliasPage {
        let page = IliasPage(response)
        if response.isHTML, response.address.origin == address.origin {
            if page.isOfUser { return page }
            if page.offersLogin { throw sessionEnded }
        }
        do throws(ProviderError) {
            // Only tells what kind of page it is.
            _ = try response.json()
        } catch {
            if error.kind == .authRequired { throw sessionEnded }
        }
        throw unknownAnswer
    }

    /// Why a page isn't that of the object that was asked for.
    func refusal(_ page: IliasPage) -> ProviderError {
        let place = "\(page.address.path)?\(page.address.query ?? "")".lowercased()
        if Self.demands.contains(where: place.contains) {
            return ProviderError(
                .authRequired, "\(address.host) wants you to confirm something first: open it in a browser",
                server: address.origin)
        }
        guard let failure = page.failure else { return unknownAnswer }
        let error = mistake(failure)
        // Of a mistake of its own ILIAS says the name of a file in its log.
        let isMistake = failure.contains(/\b[0-9a-z]{5}_\d{1,4}\b|\berror\b|\bfehler\b/.ignoresCase())
        return isMistake ? error : ProviderError(.forbidden, error.message)
    }

    /// What the site says in the place of contents.
    func mistake(_ failure: String) -> ProviderError {
        ProviderError(
            .unavailable, "\(address.host) says: \(HTMLStripper.text(of: failure, bound: 300))", server: address.origin)
    }

    private func page(_ address: WebAddress, of target: IliasTarget) async throws(ProviderError) -> IliasPage {
        let page = try await page(address)
        guard page.target?.ref == target.ref else { throw refusal(page) }
        if let failure = page.failure, page.isFailure, !page.offersRegistration, target.type != "xoct" {
            throw mistake(failure)
        }
        return page
    }

    /// Adds what long blocks have behind a button.
    ///
    /// Related: components/ILIAS/Container/resources/Container.js of ILIAS
    private func complete(_ page: inout IliasPage) async throws(ProviderError) {
        var (waiting, count) = (page.unfinished, 0)
        while let next = waiting.popLast() {
            count += 1
            guard isOwn(next.address), count <= Self.partBound else { throw unknownAnswer }
            let ids = page.items.map { (name: "ids[]", value: "lg_div_\($0.target.ref)_pref_\($0.parent ?? 0)") }
            let response = try await part(.form(next.address, ids))
            let part = IliasPage(response)
            guard !part.items.isEmpty else { throw refusal(try checked(response)) }
            let known = Set(page.items.map(\.target.ref))
            let new = part.items.filter { !known.contains($0.target.ref) }
            guard !new.isEmpty else { throw unknownAnswer }
            let group = page.items.lazy.compactMap(\.group).first { "\($0.ref)" == next.block }
            page.items += new.map { item in
                var item = item
                item.group = item.group ?? group
                return item
            }
            waiting += part.unfinished
        }
    }

    /// The response to what a script would ask, which has no page to log in at.
    private func part(_ request: HTTPRequest) async throws(ProviderError) -> HTTPResponse {
        do throws(ProviderError) {
            return try await response(request)
        } catch {
            throw error.kind == .forbidden ? sessionEnded : error
        }
    }

    // MARK: - Lists and files

    /// The courses and groups that the user is in.
    func memberships() async throws(ProviderError) -> [IliasPage.Item] {
        let page = try await page(file("ilias.php", [("baseClass", "ilmembershipoverviewgui")]))
        guard IliasTarget.query(of: page.address)["baseclass"]?.lowercased() == "ilmembershipoverviewgui" else {
            throw refusal(page)
        }
        return (page.listed + page.items).filter { ["crs", "grp"].contains($0.target.type) && $0.isLinked }
    }

    /// The links of a weblink: a page of them, or a single one, which answers with a redirect.
    ///
    /// Related: components/ILIAS/WebResource/classes/class.ilObjLinkResourceListGUI.php of ILIAS
    func links(_ target: IliasTarget, at link: WebAddress?) async throws(ProviderError) -> [IliasPage.Link] {
        let direct = file(
            "ilias.php",
            [("baseClass", "ilLinkResourceHandlerGUI"), ("ref_id", "\(target.ref)"), ("cmd", "calldirectlink")])
        let link = link.flatMap { isOwn($0) ? $0 : nil } ?? direct
        guard IliasTarget.query(of: link)["cmd"]?.lowercased() == "calldirectlink" else {
            return try await page(link, of: target).links
        }
        let response = try await unfollowed(link)
        guard let next = response[header: "Location"].flatMap(response.address.resolving) else {
            throw refusal(try checked(response))
        }
        if next.host != address.host { return [.init(address: next, text: "")] }
        // A link into the installation, or away from what isn't for this user.
        _ = try await page(next)
        return []
    }

    /// The response to a request, which may be a redirect.
    func unfollowed(_ address: WebAddress) async throws(ProviderError) -> HTTPResponse {
        guard hasSession else { throw noSession }
        var client = client
        client.redirectBound = 0
        let response = try await client.send(.init("GET", address))
        return [301, 302, 303, 307].contains(response.status) ? response : try response.checked()
    }

    /// Throws what the site says of a file that it doesn't give, or not yet.
    func checkDownload(_ ref: Int64, isOpen: Bool) async throws(ProviderError) {
        let response = try await response(.init("HEAD", download(ref)))
        guard response.isHTML else { return }
        let error = refusal(try await page(download(ref)))
        if !isOpen, error.kind == .forbidden {
            throw ProviderError(.notReady, "\(address.host) doesn't give this file yet")
        }
        throw error
    }

    // MARK: - Addresses

    /// A page of the installation: `ilias.php`.
    func file(_ name: String, _ query: [(name: String, value: String)]) -> WebAddress {
        address.replacing(path: address.path + name).adding(query: query)
    }

    /// Where a file is that the user may download.
    func download(_ ref: Int64) -> WebAddress { file("goto.php", [("target", "file_\(ref)_download")]) }

    func isOwn(_ other: WebAddress) -> Bool {
        other.origin == address.origin && other.path.hasPrefix(address.path)
    }

    /// The session, for those of these addresses that are the installation's.
    func tokens(for addresses: [WebAddress]) -> [Token] {
        client.cookies?.tokens(for: addresses.filter { $0.origin == address.origin }) ?? []
    }

    /// Other addresses lead here, by redirects.
    private func place(of target: IliasTarget) -> WebAddress {
        if let name = target.name, ["mcst", "xoct"].contains(target.type) {
            return file("goto.php", [("target", name)])
        }
        return file("ilias.php", [("baseClass", "ilrepositorygui"), ("ref_id", "\(target.ref)")])
    }

    private var hasSession: Bool { client.cookies?.field(for: address) != nil }

    // MARK: - Errors

    private var noSession: ProviderError {
        ProviderError(.authRequired, "\(address.host) asks for a login", server: address.origin)
    }

    var sessionEnded: ProviderError {
        ProviderError(.authRequired, "the session at \(address.host) has ended", server: address.origin)
    }

    var unknownAnswer: ProviderError {
        ProviderError(
            .unavailable, "the answer of \(address.host) isn't the page of ILIAS that was asked for",
            server: address.origin)
    }
}
