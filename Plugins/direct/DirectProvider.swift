import ProviderHTTP
import ProviderKit

/// Fills the video's id and parameters into the parameter `url`. Only an address that it may recognise is requested.
struct DirectProvider: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        guard let url = parameters["url"]?.string, !url.isEmpty else {
            throw ProviderError(.invalidParameters, "url is missing", parameter: "url")
        }
        var kind = Resolution.Kind.file
        if let name = parameters["kind"]?.string {
            guard let known = Resolution.Kind(rawValue: name) else {
                throw ProviderError(.invalidParameters, "kind is neither file, hls nor dash", parameter: "kind")
            }
            kind = known
        }
        let template = Template(words: Template.words(of: request), isEncoding: true)
        return Resolution(
            url: try template.fill(url, parameter: "url", blamesName: true), kind: kind,
            fileExtension: parameters["extension"]?.string, mediaType: parameters["media_type"]?.string)
    }

    /// An address that ends as a file of media does, unless its server has a page there.
    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address),
            let name = address.path.split(separator: "/", omittingEmptySubsequences: false).last,
            let dot = name.lastIndex(of: "."), dot > name.startIndex,
            let id = PercentEncoding.decoded(name[..<dot]), !id.utf8.contains(0)
        else { return Recognition() }
        let end = name[name.index(after: dot)...].lowercased()
        let kinds = ["m3u8": Resolution.Kind.hls, "mpd": .dash]
        guard MediaFiles.extensions.contains(end) || kinds[end] != nil else { return Recognition() }
        let client = HTTPClient(settings: request.settings, confinedTo: address)
        let answer = try await client.send(HTTPRequest("HEAD", address))
        if answer.status == 404 || answer.status == 410 { throw answer.statusError }
        guard answer.mediaType != "text/html" else { return Recognition() }
        var parameters: [String: JSONValue] = ["url": .string(Self.template(address, id: id, end: name[dot...]))]
        if let kind = kinds[end] { parameters["kind"] = .string(kind.rawValue) }
        return Recognition(.init(id: id, parameters: parameters))
    }

    /// The address with `{id}` in the place of the file's name, so that others of its folder are easily added; as it
    /// is, if that would become another address.
    private static func template(_ address: WebAddress, id: String, end: Substring) -> String {
        let name = PercentEncoding.encoded(id) + end
        guard !address.text.contains("{"), address.path.hasSuffix("/" + name) else {
            // Braces would be a parameter's.
            return address.text.replacing("{", with: "%7B").replacing("}", with: "%7D")
        }
        let folder = address.path.dropLast(name.count)
        return "\(address.origin)\(folder){id}\(end)\(address.query.map { "?\($0)" } ?? "")"
    }
}
