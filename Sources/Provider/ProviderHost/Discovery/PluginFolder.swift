import FileSystem
import ProviderKit
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns a folder into a plugin that can be started, or returns the reason why it can't be.
struct PluginFolder: PrintsRedacted {
    /// The variables that every plugin gets, if they are set.
    private static let usualVariables = ["PATH", "HOME", "LANG", "TZ"]
    private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

    let folder: FilePath
    let environment: [String: String]
    /// The coursefetch executable, links resolved or not.
    let executable: FilePath

    /// The plugin in this folder, nil if the folder has no manifest.
    func read() -> Result<Plugin, BrokenPlugin>? {
        let file = folder.appending("plugin.yaml")
        guard FileStatus(file) != nil else { return nil }
        if let reason = untrusted() { return .failure(broken(nil, reason)) }
        let manifest: Manifest
        var plugin: Plugin
        do {
            guard let data = FileManager.default.contents(atPath: file.string) else {
                throw ManifestProblem.unreadable("\(file) can't be read")
            }
            let (read, warnings) = try ManifestReader.read([UInt8](data), file: file.string)
            manifest = read
            let launch = PluginLaunch(
                executable: try program(read), arguments: Array(read.run.dropFirst()),
                environment: variables(read), folder: folder)
            plugin = Plugin(manifest: read, folder: folder, launch: launch, warnings: warnings)
        } catch let problem as ManifestProblem {
            var failure = broken(nil, problem.reason)
            if case .invalid(let diagnostics) = problem { failure.diagnostics = diagnostics }
            return .failure(failure)
        } catch {
            return .failure(broken(nil, "\(error)"))
        }
        // A program on PATH is the user's own choice, if only its owner can write it.
        let program = plugin.launch.executable
        let reason =
            manifest.run[0].contains("/") ? FileStatus.distrust(program) : FileStatus(program)?.writableByOthers
        if let reason {
            return .failure(broken(manifest.name, reason))
        }
        return .success(plugin)
    }

    /// The reason why this folder, or a file directly in it, can't be trusted.
    private func untrusted() -> String? {
        if let reason = FileStatus.distrust(folder) { return reason }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        for name in names.sorted() {
            guard let status = FileStatus(folder.appending(name)) else { continue }
            if let reason = status.ownedByStranger ?? status.writableByOthers { return reason }
        }
        return nil
    }

    private func program(_ manifest: Manifest) throws(ManifestProblem) -> FilePath {
        let word = manifest.run[0]
        guard word.contains("/") else {
            for folder in (environment["PATH"] ?? Self.usualPath).split(separator: ":") where folder.hasPrefix("/") {
                let path = FilePath(String(folder)).appending(word)
                if FileStatus(path)?.isExecutable == true { return path }
            }
            throw .unreadable("its program '\(word)' isn't on PATH")
        }
        let path = folder.pushing(FilePath(word)).lexicallyNormalized()
        let beside = executable.removingLastComponent()
        // As installed: PREFIX/bin has what people call, PREFIX/lib/coursefetch what only coursefetch does.
        let installed = PluginSearchPath.resolved(executable).removingLastComponent().removingLastComponent()
            .appending("lib/coursefetch")
        let candidates = [path] + (path.lastComponent.map { [beside.appending($0), installed.appending($0)] } ?? [])
        for candidate in candidates {
            guard let status = FileStatus(candidate) else { continue }
            if status.isExecutable { return candidate }
            throw .unreadable("\(candidate) isn't executable")
        }
        throw .unreadable("its program \(word) is neither in its folder nor beside \(executable)")
    }

    private func variables(_ manifest: Manifest) -> [String: String] {
        var variables = environment.filter {
            Self.usualVariables.contains($0.key) || manifest.environment.contains($0.key)
        }
        if variables["PATH"] == nil { variables["PATH"] = Self.usualPath }
        return variables
    }

    private func broken(_ name: String?, _ reason: String) -> BrokenPlugin {
        BrokenPlugin(name: name ?? folder.lastComponent?.string ?? folder.string, folder: folder, reason: reason)
    }
}

extension BrokenPlugin: Error {}
