import Foundation
import Testing

@testable import CourseFetchCommands

@Suite("Files and folders in settings")
struct MissingFilesTests {
    private func missing(
        _ options: [String: [String]], _ environment: [String: String] = [:], file: String = ""
    ) throws -> [String] {
        let file = try SettingsFile(bytes: Array(file.utf8), path: "/home/alice/.config/coursefetch/config.yaml")
        return try SyncSettings(SettingLayers(options: options, environment: environment, file: file)).missing
    }

    @Test("a missing one is reported with the setting that names it")
    func missing() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "missing-\(UUID().uuidString)")
        let (pem, plugins, none) = (folder.path() + "/ca.pem", folder.path() + "/plugins", folder.path() + "/none")
        try FileManager.default.createDirectory(atPath: plugins, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("pem".utf8).write(to: URL(filePath: pem))
        #expect(try missing([:]) == [])
        #expect(try missing(["ca-file": [pem], "plugins": [plugins]]) == [])
        #expect(try missing(["ca-file": [none]]) == ["--ca-file: there is no file \(none)"])
        #expect(try missing(["ca-file": [plugins]]) == ["--ca-file: \(plugins) is a folder; name a PEM file"])
        #expect(
            try missing(
                ["plugins": [plugins, none]], ["COURSEFETCH_PLUGINS": pem], file: "ca-file: \(none)\nplugins: /nope\n")
                == [
                    "/home/alice/.config/coursefetch/config.yaml:1:10: ca-file: there is no file \(none)",
                    "--plugins: there is no folder \(none)", "COURSEFETCH_PLUGINS: there is no folder \(pem)",
                    "/home/alice/.config/coursefetch/config.yaml:2:10: plugins: there is no folder /nope",
                ])
    }
}
