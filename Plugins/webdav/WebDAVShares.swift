import ProviderHTTP
import ProviderKit

/// Where the folders of courses are: a WebDAV address is one, and the link of a public share stands for one.
actor WebDAVShares {
    /// The WebDAV folders of shares, as found by asking. Their servers decide which of their addresses works.
    private var found: [WebAddress: WebDAVFolder] = [:]

    /// The folder of a course.
    func folder(_ endpoint: Endpoint, _ parameters: [String: JSONValue]) async throws(ProviderError) -> WebDAVFolder {
        var folder = try await root(endpoint)
        let names = (parameters["folder"]?.string ?? "").split(separator: "/").map(String.init)
        guard let address = folder.address.appending(names, isFolder: true) else {
            throw ProviderError(.invalidParameters, "folder isn't a path like Lectures/2026", parameter: "folder")
        }
        folder.address = address
        return folder
    }

    private func root(_ endpoint: Endpoint) async throws(ProviderError) -> WebDAVFolder {
        let candidates = Self.candidates(endpoint)
        guard !candidates.isEmpty else {
            return WebDAVFolder(address: endpoint.address, login: endpoint.login, client: endpoint.client)
        }
        if var folder = found[endpoint.address], let login = candidates.first?.login {
            folder.login = login
            folder.client = endpoint.client
            return folder
        }
        var failure = ProviderError(.notFound, "\(endpoint.address.host) has no such share")
        for folder in candidates {
            do throws(ProviderError) {
                _ = try await folder.state()
                found[endpoint.address] = folder
                return folder
            } catch {
                // A server without this address says so in one of many ways; a refused password is worth telling.
                if failure.kind != .authRequired { failure = error }
                if error.kind == .rateLimited { break }
            }
        }
        throw failure
    }

    /// The WebDAV addresses that a share's link may stand for, likeliest first; none for any other address. The share's
    /// token is the user name; its password is that of a login, or empty.
    static func candidates(_ endpoint: Endpoint) -> [WebDAVFolder] {
        var names = endpoint.address.path.split(separator: "/").map(String.init)
        guard let place = names.lastIndex(of: "s"), place == names.count - 2, let token = names.last else { return [] }
        names.removeLast(2)
        if names.last == "index.php" { names.removeLast() }
        let root = names.reduce(into: "") { $0 += "/" + $1 }
        let login = BasicLogin(username: token, password: endpoint.login?.password.value ?? "")
        return ["\(root)/public.php/webdav/", "\(root)/public.php/dav/files/\(token)/"].map { path in
            WebDAVFolder(address: endpoint.address.replacing(path: path), login: login, client: endpoint.client)
        }
    }
}
