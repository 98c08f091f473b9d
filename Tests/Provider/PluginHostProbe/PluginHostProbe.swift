import Logging
import ProviderHost
import ProviderKit
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A host that tests can kill, and that measures what a plugin costs.
///
/// `plugin-host-probe hold FOLDER NAME VIDEO…` resolves each video with the plugin NAME of FOLDER, says `ready`, and
/// waits until it is killed. `plugin-host-probe find FOLDER NAME` says whether it would run NAME, or what is wrong with the
/// plugins of FOLDER. `plugin-host-probe measure FOLDER NAME COUNT INFLIGHT` says how long so many resolves take.
@main struct PluginHostProbe {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count > 3 else { exit(64) }
        var environment = ["PATH": "/usr/bin:/bin"]
        for name in ["PATH", "HOME", "SANDBOX"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        let registry = PluginRegistry.discover(
            extraFolders: [FilePath(words[2])], environment: environment, executable: FilePath(words[0]))
        guard case .found(let plugin) = registry.plugin(named: words[3]) else {
            for broken in registry.broken { print("\(broken.name): \(broken.reason)") }
            exit(69)
        }
        let logger = Logger(label: "probe", factory: { _ in SwiftLogNoOpLogHandler() })
        let watchdog = OrphanWatchdog()
        let provider = PluginProvider(plugin: plugin, logger: logger, watchdog: watchdog)
        switch words[1] {
        case "find": print("\(plugin.name): found")
        case "hold":
            for video in words.dropFirst(4) { _ = try await provider.resolve(request(video)) }
            print("ready")
            fflush(nil)
            try await Task.sleep(for: .seconds(600))
        case "measure":
            let (count, inFlight) = (Int(words[4]) ?? 10_000, Int(words[5]) ?? 8)
            _ = try await provider.resolve(request("first"))
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<inFlight {
                    group.addTask {
                        for index in stride(from: lane, to: count, by: inFlight) {
                            _ = try await provider.resolve(request("video-\(index)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            print("\(count) resolves, \(inFlight) in flight: \(ContinuousClock.now - start)")
        default: exit(64)
        }
        await provider.shutDown()
        await watchdog.close()
    }

    private static func request(_ id: String) -> ResolveRequest {
        ResolveRequest(
            user: "anna", now: .now,
            video: .init(id: id, title: "Some title", parameters: ["url": "https://media.example.org/{id}.mp4"]),
            course: .init(id: "course", title: "Course"), chapter: .init(id: "chapter", title: "Chapter"))
    }
}
