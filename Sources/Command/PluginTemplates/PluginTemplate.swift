package import Operations

/// The files of a new plugin, by its language.
package struct PluginTemplate: Sendable {
    private let name: String
    private let language: PluginLanguage

    /// A template for a plugin of this name, which manifests allow.
    package init(name: String, language: PluginLanguage) {
        self.name = name
        self.language = language
    }

    /// The files. `kit` is the folder of the Swift package or of the Python module that they need.
    package func files(kit: String?) -> [NewPluginFile] {
        switch language {
        case .shell:
            [
                NewPluginFile("plugin.yaml", manifest("[./\(name)]")),
                NewPluginFile(name, ShellTemplate.program, isProgram: true),
                NewPluginFile("fixtures/fixture.yaml", Self.fixture),
            ]
        case .python:
            [
                NewPluginFile(
                    "plugin.yaml", manifest("[./\(name).py]", methods: "[resolve, list]", concurrency: 8)),
                NewPluginFile("\(name).py", PythonTemplate.program(type: typeName), isProgram: true),
                NewPluginFile("fixtures/fixture.yaml", IndexFixture.fixture),
                NewPluginFile("fixtures/index.http", IndexFixture.exchange),
            ]
        case .swift:
            [
                NewPluginFile("plugin.yaml", manifest("[./\(name)]", methods: "[resolve, list]", concurrency: 8)),
                NewPluginFile("Package.swift", SwiftTemplate.package(name: name, kit: kit ?? "")),
                NewPluginFile("Sources/\(name)/\(typeName).swift", SwiftTemplate.program(type: typeName)),
                NewPluginFile("fixtures/fixture.yaml", IndexFixture.fixture),
                NewPluginFile("fixtures/index.http", IndexFixture.exchange),
                NewPluginFile(".gitignore", ".build/\n/\(name)\n"),
            ]
        }
    }

    /// The name as a type's: `my-host` is `MyHost`.
    private var typeName: String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let type = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return type.first?.isNumber == false ? type : "Provider\(type)"
    }

    private func manifest(_ run: String, methods: String = "[resolve]", concurrency: Int = 1) -> String {
        """
        # What each key means: docs/protocol.md, "The manifest".
        name: \(name)
        version: 0.1.0
        protocol: 1
        description: Videos in a folder of a web server
        run: \(run)
        methods: \(methods)
        concurrency: \(concurrency)
        timeout: 30
        parameters:
          type: object
          required: [endpoint]
          properties:
            endpoint: {type: string, pattern: "^https?://[^/]", description: "the folder's address"}
          additionalProperties: false

        """
    }

    private static let fixture = """
        # What coursefetch plugins check asks for.
        parameters: {endpoint: "https://media.example.org/course"}
        videos: [first, "second video"]

        """
}
