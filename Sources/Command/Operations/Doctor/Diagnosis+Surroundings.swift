import DownloadJobs
import FileSystem
import Foundation
import MediaTransfer
import ProviderHost
import ProviderKit
import SystemPackage
import YAMLSource

/// Checks the plugins of this machine: each one with a readable manifest is started once and asked.
struct PluginCheck {
    let folders: [String]
    let user: String

    /// The number of plugins asked at a time: each is its own process.
    private static let width = 4

    /// `used` are the providers that downloads need.
    func run(used: [String]) async -> [DiagnosisFact] {
        let registry = ProviderCheck.registry(folders)
        var isFolder: ObjCBool = false
        let missing = folders.filter {
            !FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) || !isFolder.boolValue
        }
        var facts = missing.map { DiagnosisFact.noPluginFolder(path: $0) }
        let plugins = registry.plugins.values.sorted { $0.name < $1.name }
        facts += await ask(plugins, used: Set(used))
        for plugin in plugins {
            facts += plugin.warnings.map {
                .pluginWarned(name: plugin.name, warning: "\($0.location): \($0.summary)")
            }
        }
        for plugin in registry.broken where !missing.contains(plugin.folder.string) {
            facts.append(
                .pluginBroken(
                    name: plugin.name, folder: plugin.folder.string, reason: plugin.reason,
                    isUsed: used.contains(plugin.name)))
        }
        for plugin in registry.hidden { facts.append(.pluginHidden(name: plugin.name, folder: plugin.folder.string)) }
        for name in used {
            if case .unknown = registry.plugin(named: name) { facts.append(.providerMissing(name: name)) }
        }
        return facts.isEmpty ? [.noPlugins] : facts
    }

    private func ask(_ plugins: [Plugin], used: Set<String>) async -> [DiagnosisFact] {
        guard !plugins.isEmpty else { return [] }
        let watchdog = OrphanWatchdog()
        var facts: [Int: DiagnosisFact] = [:]
        await withTaskGroup(of: (Int, DiagnosisFact).self) { group in
            for (index, plugin) in plugins.enumerated() {
                if index >= Self.width, let (done, fact) = await group.next() { facts[done] = fact }
                group.addTask {
                    let finding = await PluginProbe.run(plugin, user: user, watchdog: watchdog)
                    return (index, Self.fact(plugin, finding, isUsed: used.contains(plugin.name)))
                }
            }
            for await (done, fact) in group { facts[done] = fact }
        }
        await watchdog.close()
        return facts.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func fact(_ plugin: Plugin, _ finding: PluginProbe.Finding, isUsed: Bool) -> DiagnosisFact {
        let folder = plugin.folder.string
        let trouble: DiagnosisFact.PluginDefect
        switch finding {
        case .answers:
            return .plugin(name: plugin.name, version: plugin.manifest.version, folder: folder, isUsed: isUsed)
        case .cannotStart(let reason): trouble = .cannotStart(reason)
        case .ends(let reason): trouble = .ends(reason)
        case .breaksProtocol(let reason): trouble = .breaksProtocol(reason)
        case .silent(let reason): trouble = .silent(reason)
        }
        return .pluginDefect(name: plugin.name, folder: folder, trouble, isUsed: isUsed)
    }
}

/// Checks the requirements of TLS: certificate authorities, and a correct clock.
struct NetworkCheck: PrintsRedacted {
    let caFile: String?
    let clockURL: String?

    /// Checks the certificate authorities and the clock.
    func run() async -> [DiagnosisFact] { [authorities] + [await clock()] }

    private var authorities: DiagnosisFact {
        let file = caFile ?? CurlLibrary.authorityFile
        let folder = caFile == nil ? CurlLibrary.authorityFolder : nil
        if let file, FileManager.default.isReadableFile(atPath: file) { return .authorities(path: file) }
        if let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder), !names.isEmpty {
            return .authorities(path: folder)
        }
        return .noAuthorities(file: file, folder: folder)
    }

    private func clock() async -> DiagnosisFact {
        guard let clockURL, let parsed = ParsedURL(clockURL) else { return .clockUnchecked }
        let host = "\(parsed.origin.host)"
        let caFile = caFile
        return await Blocking.run { _ in
            do throws(TransferFailure) {
                guard let skew = try ServerTime.skew(of: clockURL, caFile: caFile) else {
                    return .clockUnknown(host: host, reason: nil)
                }
                return .clock(host: host, skew: skew)
            } catch {
                return .clockUnknown(host: host, reason: error.sentence)
            }
        }
    }
}
