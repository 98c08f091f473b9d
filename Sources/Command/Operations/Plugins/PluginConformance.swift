import Foundation
package import ProviderConformance
import ProviderHost
import ProviderKit
import SystemPackage

/// Holds a plugin to the protocol.
package struct PluginConformance: Sendable {
    /// The fixtures in a plugin's own folder.
    private static let ownFixtures = "fixtures"

    package var folder: String
    /// `KEY=VALUE`, as on the command line.
    package var parameters: [String] = []
    /// A folder of fixtures; nil for the plugin's own, if it has some.
    package var fixtures: String?
    /// A new folder for fixtures that are recorded of the real host first; nil to record none.
    package var record: String?
    /// Whether no login is sent, and no made-up credentials.
    package var leavesOutLogins = false

    /// The host over the network that the checks would ask again and again; nil without one. A recording asks little.
    package var realHost: String? {
        guard fixtures == nil, record == nil else { return nil }
        let key = "endpoint="
        return parameters.last { $0.hasPrefix(key) }.flatMap { Self.remoteHost(String($0.dropFirst(key.count))) }
    }

    /// A check of the plugin in a folder.
    package init(folder: String) { self.folder = folder }

    /// Makes all checks. Calls `report` with each result as soon as it is there.
    /// `recorded` is called with what was recorded, before the checks, which then use it.
    package func run(
        report: @escaping (ConformanceReport.Result) -> Void, recorded: (FixtureRecording.Outcome) -> Void = { _ in }
    ) async throws(PluginsProblem) -> ConformanceReport {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw .noFolder(folder)
        }
        let path = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(folder)).lexicallyNormalized()
        let environment = ProcessInfo.processInfo.environment
        let executable = FilePath(Bundle.main.executablePath ?? CommandLine.arguments.first ?? "")
        let finding = PluginRegistry.plugin(in: path, environment: environment, executable: executable)
        var settings = CheckSettings()
        settings.parameters = try values(finding)
        do throws(FixtureProblem) {
            var folder = try fixtureFolder(in: path)
            if let folder { settings.take(folder.description) }
            if let record, case .success(let plugin) = finding {
                var real = settings
                real.isRealHost = Self.remoteHost(settings.parameters["endpoint"]?.string ?? "") != nil
                real.leavesOutLogins = leavesOutLogins
                recorded(try await FixtureRecording(folder: record, settings: real).run(plugin))
                let made = try FixtureFolder(record)
                settings = CheckSettings()
                settings.take(made.description)
                folder = made
            }
            var replay: FixtureReplay?
            if let folder, folder.hasExchanges { replay = try FixtureReplay(folder, settings: settings) }
            defer { replay?.close() }
            let suite = ConformanceSuite(
                folder: path, environment: environment, executable: executable, host: replay?.watch, report: report)
            var used = replay?.settings ?? settings
            used.isRealHost = folder == nil && realHost != nil
            used.leavesOutLogins = leavesOutLogins
            return await suite.run(used)
        } catch {
            throw .fixtures(error)
        }
    }

    /// The host of an address that isn't of this machine.
    private static func remoteHost(_ address: String) -> String? {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme?.lowercased()),
            let host = url.host(), !host.isEmpty
        else { return nil }
        let isOwn = host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
        return isOwn ? nil : host
    }

    /// The named folder, else the plugin's own if nothing else is given.
    private func fixtureFolder(in plugin: FilePath) throws(FixtureProblem) -> FixtureFolder? {
        if let fixtures { return try FixtureFolder(fixtures) }
        let own = plugin.appending(Self.ownFixtures).string
        guard parameters.isEmpty, FileManager.default.fileExists(atPath: own + "/" + FixtureDescription.fileName) else {
            return nil
        }
        return try FixtureFolder(own)
    }

    private func values(
        _ finding: Result<Plugin, BrokenPlugin>?
    ) throws(PluginsProblem) -> [String: JSONValue] {
        var texts: [String: String] = [:]
        for text in parameters {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { throw .notAssignment(text) }
            texts[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        // A broken manifest is what the suite tells first.
        guard case .success(let plugin) = finding else { return [:] }
        switch plugin.parameters(of: texts) {
        case .success(let values): return values
        case .failure(let problems): throw .parameters(problems.texts)
        }
    }
}
