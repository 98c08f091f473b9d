import CommandOutput
import DownloadStore
import Foundation
package import Operations
package import PageHTTP
import PageViews
import RunAccess
import SyncFacts
import TextFormats

/// The pages, by their addresses: each request is answered by an operation on its user's library, and a view of what
/// that returns.
package struct PageSite: Sendable {
    let options: ServeOptions
    let access: PageAccess
    let templates: PageTemplates
    let thumbnails: Thumbnails
    let live: LiveFeeds

    /// Throws if a template can't be read.
    package init(options: ServeOptions, access: PageAccess) throws {
        self.options = options
        self.access = access
        templates = try PageTemplates()
        thumbnails = Thumbnails(path: ProcessInfo.processInfo.environment["PATH"] ?? "")
        live = LiveFeeds()
    }

    /// The user of a request, and where the user's state and library are.
    struct Visit: Sendable {
        let request: PageRequest
        /// As a proxy names the user; nil for the account's own.
        let user: String?
        let location: StateLocation
    }

    package func answer(_ request: PageRequest) async -> PageResponse {
        var response = await withTaskExecutorPreference(PageThreads.shared) { await unsecured(request) }
        response.headers += Self.security
        return response
    }

    /// Nothing of another site runs, is shown or gets anything here, and nothing here is shown by another site.
    private static let security: [(name: String, value: String)] = [
        (
            "content-security-policy",
            """
            default-src 'none'; img-src 'self' data:; media-src 'self' blob:; style-src 'self'; script-src 'self'; \
            connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """
        ), ("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"), ("x-frame-options", "DENY"),
    ]

    private func unsecured(_ request: PageRequest) async -> PageResponse {
        switch request.path.first {
        case "healthz": return .text("ok", status: 200)
        case "assets" where request.path.count == 2:
            guard let asset = PageTemplates.asset(request.path[1]) else {
                return .text("There is no such file.", status: 404)
            }
            return PageResponse.bytes(asset.bytes, type: asset.type).validated(for: request)
        case "feed" where request.path.count >= 2:
            if let feed = await publicFeed(request) { return feed }
        default: break
        }
        switch access.decide(request) {
        case .welcome(let cookie):
            var query = request.query
            query["token"] = nil
            let fields = query.sorted { $0.key < $1.key }.map {
                "\(PercentEncoding.encoded($0.key))=\(PercentEncoding.encoded($0.value))"
            }
            let path = request.path.map { PercentEncoding.encoded($0) }.joined(separator: "/")
            let address = access.base + path + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
            return .seeOther(address).with("set-cookie", cookie)
        case .refused(let reason): return refusal(reason)
        case .user(let name):
            let visit = Visit(request: request, user: name, location: options.location(of: name))
            return await answer(visit)
        }
    }

    private func refusal(_ reason: PageAccess.Reason) -> PageResponse {
        switch reason {
        case .host(let host):
            .text(
                """
                This server doesn't answer for the name \(Self.shown(host)). If that is right, add it to hosts, below \
                serve, in the settings file, and start coursefetch serve again.
                """, status: 421)
        case .stranger:
            .text("Open the address that coursefetch serve has printed: it has a token.", status: 401)
        case .proxy(let address):
            .text(
                """
                The header \(access.userHeader) counts only from proxies that are listed by address: \(address) isn't. \
                If it is your proxy, add it to proxies, below serve, in the settings file.
                """, status: 403)
        case .noUser:
            .text(
                "The proxy named no user: it has to set the header \(access.userHeader) after a login.", status: 401)
        case .form:
            .text("This form is from another page, or too old. Go back, reload the page, and try again.", status: 403)
        }
    }

    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 }.prefix(100).map(Character.init))
    }

    private func answer(_ visit: Visit) async -> PageResponse {
        do throws(Refusal) {
            let response = visit.request.method == .post ? try await form(visit) : try await page(visit)
            return response ?? message(.notFound, visit)
        } catch {
            let status = error.isOfUser ? 404 : 503
            var facts = MessageFacts(status: status, title: "It can’t be shown", text: error.message)
            if !error.isOfUser { facts = facts.advised("To see what is wrong, type:", "coursefetch doctor") }
            return message(facts, visit)
        }
    }

    /// Nil for an address without a page.
    private func page(_ visit: Visit) async throws(Refusal) -> PageResponse? {
        let path = visit.request.path
        switch (path.first, path.count) {
        case (nil, _): return try await home(visit)
        case ("courses", 1): return try courses(visit)
        case ("course", 2): return try course(path[1], visit)
        case ("video", 3): return try video(DownloadKey(course: path[1], video: path[2]), visit)
        case ("search", 1): return try search(visit)
        case ("now", 1): return try await now(visit)
        case ("nights", 1): return try await nights(visit)
        case ("settings", 1): return try settings(visit)
        case ("now.json", 1): return try await live(visit)
        case ("events", 1): return await events(visit)
        case ("metrics", 1): return try await metrics(visit)
        default: return try await file(visit)
        }
    }

    // MARK: making pages

    func frame(_ visit: Visit, library: String? = nil) -> PageFrame {
        let request = visit.request
        let query = request.query.filter { $0.key != "said" }.sorted { $0.key < $1.key }.map {
            "\(PercentEncoding.encoded($0.key))=\(PercentEncoding.encoded($0.value))"
        }
        let path = request.path.map { PercentEncoding.encoded($0) }.joined(separator: "/")
        var frame = PageFrame(
            root: request.root, formToken: access.formToken(of: visit.user),
            back: path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), user: visit.user,
            library: library.map { ViewedLibrary.name(of: $0) } ?? "coursefetch")
        frame.query = request.query["q"] ?? ""
        frame.message = request.query["said"].flatMap { live.said($0, to: visit.user) }
        return frame
    }

    func render(_ template: String, _ fields: Fields, _ visit: Visit) -> PageResponse {
        PageResponse.bytes(templates.render(template, fields), type: "text/html; charset=utf-8")
            .validated(for: visit.request)
    }

    func message(_ facts: MessageFacts, _ visit: Visit) -> PageResponse {
        let fields = MessagePage(frame(visit)).message(facts)
        return .bytes(templates.render("message", fields), type: "text/html; charset=utf-8", status: facts.status)
    }
}

extension Refusal {
    /// Whether it is about a user who isn't known here.
    fileprivate var isOfUser: Bool { if case .user = self { true } else { false } }
}
