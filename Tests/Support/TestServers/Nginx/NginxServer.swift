import Crypto
package import Foundation
import Subprocess

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A real nginx on a free port of the loopback interface, with files of its own.
///
/// | path | |
/// |---|---|
/// | `/plain/NAME` | the file |
/// | `/limited/NAME?rate=N` | at N bytes a second for a connection |
/// | `/signed/NAME?md5=…&expires=…` | `secure_link_md5`: 403 for a bad signature, 410 once expired |
/// | `/signed-limited/NAME?…&rate=N` | both |
/// | `/signed-slow/NAME?md5=…&expires=…` | both, at ``Options/rate`` |
/// | `/single/NAME` | the file, and the end of the connection |
/// | `/redirect?to=URL` | 302, the URL as it stands |
/// | `/token/NAME` | 401 without `Authorization: Bearer` and ``Options/token`` |
/// | `/stream/NAME?token=MD5,EXPIRES` | a token that is good for all names: 403 and 410 as above; ``Options/streamRate`` |
/// | `/streampath/MD5/EXPIRES/NAME` | the same in the path |
/// | `/folder/MD5/EXPIRES/FOLDER/NAME` | `secure_link_md5` of expiry and `/FOLDER/`: good for all names in the folder |
package final class NginxServer: Sendable {
    /// What can be chosen.
    package struct Options: Sendable {
        /// The secret of `/signed/`.
        package var secret = "testsecret"
        /// The token of `/token/`.
        package var token = "canary-token"
        /// Bytes a second of `/signed-slow/`, for a connection.
        package var rate = "50k"
        /// Bytes a second of `/stream/` and `/streampath/`, for a connection; `0` for as fast as it goes.
        package var streamRate = "0"
        /// Answers over TLS if set.
        package var certificate: TestCertificate?
        /// As nginx writes them.
        package var tlsProtocols = "TLSv1.2 TLSv1.3"

        package init() {}
    }

    /// `http://127.0.0.1:PORT`, or https.
    package let baseURL: String
    package let port: Int
    private let options: Options
    private let folder: TestFolder
    private let process: Task<Void, Never>

    private init(_ options: Options, port: Int, folder: TestFolder) throws {
        self.options = options
        self.folder = folder
        self.port = port
        baseURL = "\(options.certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
        try folder.write("files/.keep", [])
        try folder.write("nginx.conf", Array(Self.configuration(options, port: port, folder: folder.path).utf8))
        // Ends by itself should the tests be killed.
        let arguments: Arguments = [
            "-k", "5", "1800", "nginx", "-p", folder.path, "-e", folder.path("error.log"), "-c",
            folder.path("nginx.conf"),
        ]
        process = Task {
            var platform = PlatformOptions()
            platform.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(3))]
            _ = try? await run(
                .name("timeout"), arguments: arguments, platformOptions: platform, output: .discarded,
                error: .discarded)
        }
    }

    deinit { process.cancel() }

    /// Starts one and waits until it answers.
    package static func start(_ options: Options = Options()) async throws -> NginxServer {
        guard
            try await run(.name("sh"), arguments: ["-c", "command -v nginx"], output: .discarded)
                .terminationStatus.isSuccess
        else { throw TestServerError("nginx is missing: apt-get install nginx-light") }
        var complaint = ""
        // Somebody may have taken the port in between.
        for _ in 0..<5 {
            let server = try NginxServer(options, port: FreePort.find(), folder: TestFolder())
            for _ in 0..<500 {
                if FreePort.isOpen(server.port) { return server }
                try await Task.sleep(for: .milliseconds(10))
            }
            complaint = (try? String(decoding: server.folder.read("error.log"), as: UTF8.self)) ?? ""
            await server.stop()
        }
        throw TestServerError("nginx doesn't start: \(complaint)")
    }

    /// Ends it and waits for that.
    package func stop() async {
        process.cancel()
        await process.value
    }

    /// Puts a file where all paths find it.
    package func add(_ name: String, _ content: TestContent) throws { try add(name, bytes: content.all) }

    package func add(_ name: String, bytes: [UInt8]) throws { try folder.write("files/" + name, bytes) }

    /// Where ``add(_:_:)`` puts a file.
    package func file(_ name: String) -> String { folder.path("files/" + name) }

    /// Puts a folder where all paths find it.
    package func add(folder other: String, as name: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("files/" + name), withDestinationPath: other)
    }

    /// The absolute URL of a path.
    package func url(_ path: String) -> String { baseURL + path }

    /// Leaves a mark in the log: connections that begin after this one have higher numbers.
    package func visit(_ path: String) async throws {
        guard let url = URL(string: url(path)) else { return }
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: url)
    }

    /// A URL that is good until `expires`. `path` begins with `/signed/` or `/signed-limited/`.
    package func signedURL(_ path: String, expires: Date, query: String = "") -> String {
        let seconds = Int(expires.timeIntervalSince1970)
        let digest = Insecure.MD5.hash(data: Array("\(seconds)\(path) \(options.secret)".utf8))
        let text = Data(digest).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return "\(baseURL)\(path)?md5=\(text)&expires=\(seconds)" + (query.isEmpty ? "" : "&" + query)
    }

    /// Every answer that has been given so far, in the order in which they ended.
    package func log() throws -> [NginxAccess] {
        let text = try String(decoding: folder.read("access.log"), as: UTF8.self)
        return text.split(separator: "\n").compactMap(NginxAccess.init)
    }

    private static func configuration(_ options: Options, port: Int, folder: String) -> String {
        let tls =
            options.certificate.map {
                """
                ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);
                ssl_session_cache shared:tls:1m; ssl_protocols \(options.tlsProtocols);
                """
            } ?? ""
        let secure = """
            secure_link $arg_md5,$arg_expires;
            secure_link_md5 "$secure_link_expires$uri \(options.secret)";
            if ($secure_link = "") { return 403; }
            if ($secure_link = "0") { return 410; }
            """
        let stream = """
            limit_rate \(options.streamRate);
            secure_link_md5 "$secure_link_expires \(options.secret)";
            if ($secure_link = "") { return 403; }
            if ($secure_link = "0") { return 410; }
            """
        return """
            daemon off;
            worker_processes 1;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log notice;
            events { worker_connections 1024; }
            http {
                log_format lines escape=none '$status\\t$body_bytes_sent\\t$http_range\\t$uri\\t$connection\\t$ssl_session_reused\\t$http_if_range';
                access_log \(folder)/access.log lines;
                client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi; scgi_temp_path \(folder)/scgi;
                default_type application/octet-stream;
                types {
                    video/mp4 mp4 m4s; image/jpeg jpg; text/vtt vtt; text/html html; video/mp2t ts; audio/aac aac;
                    application/vnd.apple.mpegurl m3u8;
                }
                map $arg_token $stream_link {
                    default "";
                    "~^(?<token_md5>[A-Za-z0-9_-]+)(?:,|%2C)(?<token_expires>[0-9]+)$" "$token_md5,$token_expires";
                }
                sendfile on; keepalive_requests 100000;
                server {
                    listen 127.0.0.1:\(port)\(options.certificate == nil ? "" : " ssl");
                    \(tls)
                    location /plain/ { alias \(folder)/files/; }
                    location /limited/ { alias \(folder)/files/; limit_rate $arg_rate; }
                    location /signed/ { alias \(folder)/files/; \(secure) }
                    location /signed-limited/ { alias \(folder)/files/; limit_rate $arg_rate; \(secure) }
                    location /signed-slow/ { alias \(folder)/files/; limit_rate \(options.rate); \(secure) }
                    location /stream/ { alias \(folder)/files/; secure_link $stream_link; \(stream) }
                    location ~ "^/streampath/(?<path_md5>[^/]+)/(?<path_expires>[0-9]+)/(?<path_name>.+)$" {
                        alias \(folder)/files/$path_name; secure_link $path_md5,$path_expires; \(stream)
                    }
                    location ~ "^/folder/(?<path_md5>[^/]+)/(?<path_expires>[0-9]+)(?<path_folder>/.+/)(?<path_name>[^/]+)$" {
                        alias \(folder)/files$path_folder$path_name; secure_link $path_md5,$path_expires;
                        secure_link_md5 "$path_expires$path_folder \(options.secret)";
                        if ($secure_link = "") { return 403; }
                        if ($secure_link = "0") { return 410; }
                    }
                    location /single/ { alias \(folder)/files/; keepalive_timeout 0; }
                    location /redirect { return 302 $arg_to; }
                    location /token/ {
                        alias \(folder)/files/;
                        if ($http_authorization != "Bearer \(options.token)") { return 401; }
                    }
                }
            }
            """
    }
}
