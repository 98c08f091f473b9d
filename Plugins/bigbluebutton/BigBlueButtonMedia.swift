import ProviderHTTP
import ProviderKit

/// Finds the files of a recording. The API names pages only.
struct BigBlueButtonMedia: Sendable, PrintsRedacted {
    /// A file, and the cookie that its folder wants.
    struct File: Sendable, PrintsRedacted {
        var address: WebAddress
        var cookie: Cookie?
    }

    /// What a protected recording gives for the token in its link, which is good once.
    struct Cookie: Sendable, PrintsRedacted {
        var name: String
        var value: String

        var field: [String: String] { ["Cookie": "\(name)=\(value)"] }
    }

    /// The files of one recording by their roles, and its subtitles.
    struct Found: Sendable, PrintsRedacted {
        var combined: File?
        var webcam: File?
        var screen: File?
        /// Of a room without cameras.
        var sound: File?
        var subtitles: [Resolution.Subtitle] = []
    }

    private static let redirectBound = 5

    let client: HTTPClient

    func files(of recording: BigBlueButtonRecording) async throws(ProviderError) -> Found {
        var found = Found()
        for format in recording.formats {
            switch format.kind {
            case "presentation": try await addPresentation(format, recording.id, to: &found)
            case "video":
                let page = try await open(format.page)
                found.combined = file(in: page.response, page.cookie)
                found.subtitles = await subtitles(beneath: page.response.address, page.cookie)
            case "screenshare":
                guard found.screen == nil else { continue }
                let page = try await open(format.page)
                found.screen = file(in: page.response, page.cookie)
            case "podcast": if found.sound == nil { found.sound = File(address: format.page) }
            default: break
            }
        }
        return found
    }

    /// Cameras and sound are in one file, the shared screen in another, without sound; either may be missing.
    private func addPresentation(
        _ format: BigBlueButtonRecording.Format, _ id: String, to found: inout Found
    ) async throws(ProviderError) {
        // The page itself is the same for every recording; only the link of a protected one has to be opened.
        let isProtected =
            format.page.query?.contains("token=") == true || format.page.path.contains("/recording/ticket/")
        let cookie = isProtected ? try await open(format.page).cookie : nil
        let folder = format.page.replacing(path: "/presentation/\(id)/")
        found.webcam = try await first(["video/webcams.mp4", "video/webcams.webm"], beneath: folder, cookie)
        found.screen = try await first(
            ["deskshare/deskshare.mp4", "deskshare/deskshare.webm"], beneath: folder, cookie)
        if found.webcam == nil {
            found.sound = try await first(["audio/audio.webm", "audio/audio.ogg"], beneath: folder, cookie)
        }
        if found.subtitles.isEmpty { found.subtitles = await subtitles(beneath: folder, cookie) }
    }

    /// The first of some files that is there.
    private func first(
        _ names: [String], beneath folder: WebAddress, _ cookie: Cookie?
    ) async throws(ProviderError) -> File? {
        for name in names {
            let address = folder.replacing(path: folder.path + name)
            var request = HTTPRequest("HEAD", address, headers: cookie?.field ?? [:])
            var response = try await client.send(request)
            if [405, 501].contains(response.status) {
                request.method = "GET"
                request.headers["Range"] = "bytes=0-0"
                response = try await client.send(request)
            }
            // A page is what some servers answer for a file that isn't there.
            if response.status == 404 || response.status == 200 && response.isHTML { continue }
            try response.checked()
            return File(address: address, cookie: cookie)
        }
        return nil
    }

    /// The video of a page: the first source.
    private func file(in page: HTTPResponse, _ cookie: Cookie?) -> File? {
        HTMLMedia.references(in: String(decoding: page.body, as: UTF8.self)).lazy
            .compactMap { page.address.resolving($0) }.first { MediaFiles.isMedia($0.lastName) }
            .map { File(address: $0, cookie: cookie) }
    }

    /// The subtitles in a folder; none if they can't be read: the video doesn't need them.
    private func subtitles(beneath folder: WebAddress, _ cookie: Cookie?) async -> [Resolution.Subtitle] {
        let root = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        do throws(ProviderError) {
            let list = try await client.get(
                folder.replacing(path: root + "captions.json"), headers: cookie?.field ?? [:]
            ).json()
            return list.list.compactMap { caption in
                caption["locale"]?.string.flatMap { locale in
                    folder.replacing(path: root).appending(["caption_\(locale).vtt"]).map {
                        .init(lang: locale.replacing("_", with: "-"), url: $0.text)
                    }
                }
            }
        } catch {
            HostLog.write(.debug, "can't read the captions of a recording: \(error.message)")
            return []
        }
    }

    /// Opens a link, and takes the cookie that the server gives on the way.
    private func open(_ link: WebAddress) async throws(ProviderError) -> (response: HTTPResponse, cookie: Cookie?) {
        var direct = client
        direct.redirectBound = 0
        var (address, cookie) = (link, Cookie?.none)
        for _ in 0...Self.redirectBound {
            let response = try await direct.send(HTTPRequest("GET", address, headers: cookie?.field ?? [:]))
            if let last = response.setCookies.last { cookie = Cookie(name: last.name, value: last.value) }
            guard (300...399).contains(response.status), let location = response[header: "Location"],
                let next = address.resolving(location), next.origin == address.origin
            else { return (try response.checked(), cookie) }
            address = next
        }
        throw ProviderError(.unavailable, "\(link.host) redirects more than \(Self.redirectBound) times")
    }
}
