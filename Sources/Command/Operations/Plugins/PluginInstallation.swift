import FileSystem
import Foundation
package import ProviderConformance
import ProviderHost
import SystemPackage

/// The plugins in the user's own folder: putting one there, and removing it.
package struct PluginInstallation: Sendable {
    package struct Installed: Sendable {
        package var name: String
        package var version: String?
        package var folder: String
        /// The version that was there before; nil if none was.
        package var replaced: String?
        /// Whether one was there before.
        package var isReplacement: Bool
        /// The result of the checks; nil without them.
        package var report: ConformanceReport?
    }

    /// `$XDG_DATA_HOME/coursefetch/plugins`.
    package let home: String

    /// Finds the user's folder of plugins. Makes nothing.
    package init(environment: [String: String]) throws(PluginsProblem) {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            home = data + "/coursefetch/plugins"
        } else if let own = environment["HOME"], !own.isEmpty {
            home = own + "/.local/share/coursefetch/plugins"
        } else {
            throw .noHome
        }
    }

    /// Copies the plugin in a folder or archive to the user's plugins, after its checks.
    ///
    /// - Parameters:
    ///   - isChecked: whether it must pass the conformance suite.
    ///   - isForced: whether it replaces one of the same or a newer version.
    ///   - report: called with each result of a check.
    package func install(
        _ source: String, isChecked: Bool, isForced: Bool, report: @escaping (ConformanceReport.Result) -> Void
    ) async throws(PluginsProblem) -> Installed {
        PluginStaging.clean(home)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else { throw .noPlugin(source) }
        let staging = try PluginStaging(in: home)
        defer { withExtendedLifetime(staging) {} }
        let folder = try await stage(source, isFolder: isFolder.boolValue, staging.files)
        let plugin: Plugin
        switch Self.plugin(in: folder) {
        case .success(let found): plugin = found
        // The staging folder's name says nothing to anybody.
        case .failure(let broken): throw .broken(broken.reason.replacing(folder + "/", with: ""))
        case nil: throw .noPlugin(source)
        }
        let target = home + "/" + plugin.name
        var old: String?
        switch Self.plugin(in: target) {
        case .success(let there): old = there.manifest.version
        case .failure(let broken) where !isForced: throw .installedBroken(plugin.name, reason: broken.reason)
        case .failure, nil: break
        }
        let isThere = FileManager.default.fileExists(atPath: target)
        if isThere, !isForced, !Self.isNewer(plugin.manifest.version, than: old) {
            throw .installed(plugin.name, present: old, offered: plugin.manifest.version)
        }
        var checks: ConformanceReport?
        if isChecked {
            let done = try await PluginConformance(folder: folder).run(report: report)
            guard done.isSuccess else { throw .failedChecks(source) }
            checks = done
        }
        try place(folder, target, staging)
        return Installed(
            name: plugin.name, version: plugin.manifest.version, folder: target, replaced: old, isReplacement: isThere,
            report: checks)
    }

    /// Removes a plugin of the user's own folder. Returns the removed folder.
    package func remove(_ name: String, plugins folders: [String]) async throws(PluginsProblem) -> String {
        PluginStaging.clean(home)
        let target = home + "/" + name
        let isName = !name.isEmpty && !name.contains("/") && !name.hasPrefix(".")
        guard isName, FileManager.default.fileExists(atPath: target + "/plugin.yaml") else {
            let others = await PluginSummary.all(plugins: folders).listings.first { $0.name == name }
            throw .notInstalled(name, elsewhere: others?.folder)
        }
        // First out of the way in one step: no run finds half of it.
        let old = PluginStaging.placeOfRemoved(in: home)
        guard rename(target, old) == 0 else { throw .unwritable(target) }
        try? FileManager.default.removeItem(atPath: old)
        return target
    }

    private static func plugin(in folder: String) -> Result<Plugin, BrokenPlugin>? {
        PluginRegistry.plugin(
            in: FilePath(folder), environment: ProcessInfo.processInfo.environment,
            executable: FilePath(Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""))
    }

    /// The plugin's folder within a copy of the source.
    private func stage(_ source: String, isFolder: Bool, _ staging: String) async throws(PluginsProblem) -> String {
        let copy = PluginCopy(folder: staging)
        if isFolder {
            guard FileManager.default.fileExists(atPath: source + "/plugin.yaml") else { throw .noPlugin(source) }
            try copy.take(folder: source)
        } else {
            let name = source.lowercased()
            guard [".tar.gz", ".tgz", ".zip"].contains(where: name.hasSuffix) else { throw .noPlugin(source) }
            let path = source.hasPrefix("/") ? source : FileManager.default.currentDirectoryPath + "/" + source
            try await copy.take(archive: path)
        }
        try copy.setModes()
        if FileManager.default.fileExists(atPath: staging + "/plugin.yaml") { return staging }
        let inner = ((try? FileManager.default.contentsOfDirectory(atPath: staging)) ?? []).filter { name in
            FileManager.default.fileExists(atPath: "\(staging)/\(name)/plugin.yaml")
        }
        guard inner.count == 1 else { throw .noPlugin(source) }
        return staging + "/" + inner[0]
    }

    /// Puts the folder in the place of `target` in one step, where the system can exchange two names.
    private func place(_ folder: String, _ target: String, _ staging: PluginStaging) throws(PluginsProblem) {
        let source = FilePath(folder)
        if let from = try? FolderHandle(at: source.removingLastComponent()),
            let to = try? FolderHandle(at: FilePath(home)),
            let name = source.lastComponent?.string, let other = FilePath(target).lastComponent?.string,
            (try? from.exchange(name, with: to, other)) != nil
        {
            // The old one is in the staging folder's place now, which is removed.
            return
        }
        if rename(folder, target) == 0 { return }
        let old = try staging.placeOfReplaced(FilePath(target).lastComponent?.string ?? "")
        guard rename(target, old) == 0 else { throw .unwritable(target) }
        guard rename(folder, target) == 0 else {
            _ = rename(old, target)
            throw .unwritable(target)
        }
    }

    /// Whether a version comes after another, number by number; one without a version is never newer.
    static func isNewer(_ version: String?, than other: String?) -> Bool {
        guard let version, let other else { return false }
        return version.compare(other, options: .numeric) == .orderedDescending
    }
}
