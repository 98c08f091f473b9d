/// A plugin in Swift, a package that depends on the kit.
enum SwiftTemplate {
    // Lines of their own would be taken for imports of this file.
    private static let packageImports = "import PackageDescription"
    private static let imports = "import ProviderHTTP\nimport ProviderKit"

    static func package(name: String, kit: String) -> String {
        let identity = kit.split(separator: "/").last.map(String.init) ?? "kit"
        return """
            // swift-tools-version: 6.0
            \(packageImports)

            let package = Package(
                name: "\(name)",
                platforms: [.macOS(.v15)],
                dependencies: [.package(path: "\(kit.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))")],
                targets: [
                    .executableTarget(
                        name: "\(name)",
                        dependencies: [
                            .product(name: "ProviderKit", package: "\(identity)"),
                            .product(name: "ProviderHTTP", package: "\(identity)"),
                        ])
                ])

            """
    }

    static func program(type: String) -> String {
        #"""
        \#(imports)

        /// A provider for coursefetch: a folder of a web server, with an index.json that lists its videos.
        @main struct \#(type): Provider {
            private struct Index: Decodable {
                struct Video: Decodable {
                    var id: String
                    var title: String?
                }

                var title: String?
                var videos: [Video]
            }

            func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
                let address = try Self.address(of: "index.json", request.course.parameters)
                // The status of the answer becomes the kind of error: 401 auth_required, 404 not_found, ...
                // A redirect leads to no nearer network than that of the address that the user wrote.
                let client = HTTPClient(settings: request.settings, confinedTo: address)
                let index = try await client.get(address).json(as: Index.self)
                let videos = index.videos.map { Listing.Video(id: $0.id, title: $0.title) }
                return Listing(title: index.title, videos: videos)
            }

            func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
                Resolution(url: try Self.address(of: request.video.id + ".mp4", request.video.parameters).text)
            }

            /// A file's address in the folder, whatever is in its name: blanks, slashes, any character.
            private static func address(
                of name: String, _ parameters: [String: JSONValue]
            ) throws(ProviderError) -> WebAddress {
                guard let folder = parameters["endpoint"]?.string.flatMap({ WebAddress($0) }) else {
                    throw ProviderError(.invalidParameters, "endpoint is no address", parameter: "endpoint")
                }
                guard let address = folder.appending([name]) else {
                    throw ProviderError(.notFound, "the video's id can't be a file's name")
                }
                return address
            }
        }

        """#
    }
}
