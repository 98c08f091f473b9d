import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Courses that are the recordings of a BigBlueButton room.
struct BigBlueButtonProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let endpoint = try Endpoint(request)
        let given = [("meetingID", parameters["meeting"]?.string), ("recordID", parameters["recording"]?.string)]
            .compactMap { name, value in value.map { (name: name, value: $0) } }
        guard given.count == 1 else {
            throw ProviderError(
                .invalidParameters, "say one of meeting and recording",
                parameter: given.isEmpty ? "meeting" : "recording")
        }
        guard let api = BigBlueButtonAPI(endpoint.address, request.credentials, endpoint.client) else {
            throw ProviderError(
                .authRequired, "\(endpoint.address.host) lists recordings with its secret only",
                server: endpoint.address.origin)
        }
        return try await pages.page(request) { _ throws(ProviderError) in
            var ids: Set<String> = []
            let all = try await api.recordings(given[0]).filter(\.isListed)
            // Of several entries of a recording the one that can be played.
            let found = (all.filter(\.isReady) + all).filter { ids.insert($0.id).inserted }.sorted {
                ($0.begins ?? .distantPast, $0.id) < ($1.begins ?? .distantPast, $1.id)
            }
            return .whole(
                Listing(videos: found.map { .init(id: $0.id, title: $0.name, publishedAt: $0.begins) }), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let endpoint = try Endpoint(request.video.parameters, request.credentials, request.settings)
        guard BigBlueButtonRecording.isID(request.video.id) else {
            throw ProviderError(.notFound, "this can't be the id of a recording")
        }
        let recording = try await recording(request.video.id, at: endpoint, request.credentials)
        switch recording.state {
        case "processing", "processed": throw ProviderError(.notReady, "the recording is still being made")
        case "deleted": throw ProviderError(.gone, "the recording was deleted")
        case "unpublished": throw ProviderError(.forbidden, "the recording isn't published")
        default: break
        }
        let found = try await BigBlueButtonMedia(client: endpoint.client).files(of: recording)
        return try Self.resolution(found, title: recording.name, at: endpoint.address.host)
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let root = WebAddress(address.origin + "/"),
            let match = "\(address.path)?\(address.query ?? "")".firstMatch(of: /[\/=]([0-9a-f]{40,64}-[0-9]{13})\b/)
        else { return Recognition() }
        let endpoint = try Endpoint(
            ["endpoint": .string(root.text)], request.credentials, request.settings)
        do throws(ProviderError) {
            let recording = try await recording(String(match.output.1), at: endpoint, request.credentials)
            return Recognition(
                .init(id: recording.id, title: recording.name, parameters: ["endpoint": .string(root.text)]))
        } catch {
            guard error.kind == .notFound else { throw error }
            return Recognition()
        }
    }

    /// Tries the secret with each algorithm that a server may be set to.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let (_, address) = try HostLogins.adding(request, required: ["secret"])
        let client = HTTPClient(settings: request.settings, confinedTo: address)
        let secret = request.secrets.value["secret"] ?? ""
        var refusal: ProviderError?
        for algorithm in BigBlueButtonAPI.Algorithm.allCases {
            let api = BigBlueButtonAPI(address, secret, by: algorithm, client)
            do throws(ProviderError) {
                _ = try await HostLogins.trying { () async throws(ProviderError) in
                    try await api.recordings(("recordID", String(repeating: "0", count: 40)))
                }
                return Login(
                    credentials: HostLogins.adding(
                        ["secret": .string(secret), "algorithm": .string(algorithm.rawValue)], for: address,
                        to: request.credentials))
            } catch {
                guard error.kind == .authRequired else { throw error }
                refusal = error
            }
        }
        throw refusal ?? ProviderError(.authRequired, "\(address.host) refuses the secret")
    }

    /// A recording by its id: of the API, or without a secret of the files that everybody may see.
    private func recording(
        _ id: String, at endpoint: Endpoint, _ credentials: Secret<JSONValue>?
    ) async throws(ProviderError) -> BigBlueButtonRecording {
        if let api = BigBlueButtonAPI(endpoint.address, credentials, endpoint.client) {
            let found = try await api.recordings(("recordID", id)).filter { $0.id == id }
            // Of a recording that some scripts have finished, a server may name the others, too.
            guard let recording = found.first(where: \.isReady) ?? found.first else {
                throw ProviderError(.notFound, "\(endpoint.address.host) has no such recording")
            }
            return recording
        }
        let root = endpoint.address
        let folders = [("presentation", "/presentation/\(id)/"), ("video", "/playback/video/\(id)/")]
        var (metadata, formats): (XMLElement?, [BigBlueButtonRecording.Format]) = (nil, [])
        for (kind, path) in folders {
            let response = try await endpoint.client.send(
                HTTPRequest("GET", root.replacing(path: path + "metadata.xml")))
            if response.status == 404 { continue }
            let found = try response.checked().xml()
            guard found.name == "recording" else { continue }
            metadata = metadata ?? found
            formats.append(.init(kind: kind, page: root.replacing(path: path)))
        }
        guard let metadata else {
            throw ProviderError(.notFound, "\(root.host) shows no such recording to everybody")
        }
        return BigBlueButtonRecording(metadata: metadata, id: id, formats: formats)
    }

    private static func resolution(
        _ found: BigBlueButtonMedia.Found, title: String?, at host: String
    ) throws(ProviderError) -> Resolution {
        var views = [("combined", found.combined), ("webcam", found.webcam), ("screen", found.screen)]
            .compactMap { role, file in file.map { (role: role, file: $0) } }
        if views.isEmpty, let sound = found.sound { views = [("audio", sound)] }
        guard let main = views.first else {
            throw ProviderError(.notReady, "\(host) has no video and no sound of this recording yet")
        }
        var resolution = Resolution(
            url: main.file.address.text, token: token(main.file),
            fileExtension: MediaFiles.fileExtension(main.file.address.lastName), subtitles: found.subtitles,
            title: title,
            role: main.role)
        // A shared screen has no sound of its own.
        if main.role == "screen", let sound = found.sound {
            resolution.tracks = [.init(.audio, url: sound.address.text, isDefault: true, token: token(sound))]
        }
        resolution.streams = views.dropFirst().map { role, file in
            .init(
                role, url: file.address.text, token: token(file),
                fileExtension: MediaFiles.fileExtension(file.address.lastName))
        }
        return resolution
    }

    private static func token(_ file: BigBlueButtonMedia.File) -> Token? {
        file.cookie.map { Token($0.value, in: .cookie, name: $0.name) }
    }
}
