import ProviderKit

/// Fills the video's id and parameters into the parameter `url`, without any request.
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
}
