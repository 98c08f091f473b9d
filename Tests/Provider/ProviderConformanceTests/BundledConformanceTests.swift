import Checkout
import CommandOutput
import Foundation
import ProviderConformance
import SystemPackage
import Testing

@Suite("The conformance of the bundled plugins")
struct BundledConformanceTests {
    private static let plugins = Checkout.root.appending(path: "Plugins")

    /// The Python packages of the tests come first: yt-dlp needs its module.
    private static let packages: Void = {
        let bin = plugins.deletingLastPathComponent().appending(path: ".build/python/bin").path(percentEncoded: false)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        setenv("PATH", "\(bin):\(path)", 1)
    }()

    private static let names =
        ((try? FileManager.default.contentsOfDirectory(atPath: plugins.path(percentEncoded: false))) ?? []).filter {
            FileManager.default.fileExists(
                atPath: plugins.appending(path: $0 + "/plugin.yaml").path(percentEncoded: false))
        }.sorted()

    /// A thousand requests at the pace that they keep take minutes. The others are parts of the same program.
    private static let paced = ["baijiayun", "peertube"]

    /// rclone needs a storage of its own: Tests/Outside/storages.py checks it.
    @Test("it passes with its own fixtures", arguments: names.filter { $0 != "rclone" })
    func passes(name: String) async throws {
        Self.packages
        let folder = Self.plugins.appending(path: name)
        let fixtures = try FixtureFolder(folder.appending(path: "fixtures").path(percentEncoded: false))
        var settings = CheckSettings()
        settings.take(fixtures.description)
        let replay = fixtures.hasExchanges ? try FixtureReplay(fixtures, settings: settings) : nil
        defer { replay?.close() }
        let measuresGrowth = !Self.paced.contains(name)
        let path = FilePath(folder.path(percentEncoded: false))
        var report = await PluginTrial.report(
            path, replay?.settings ?? settings, measuresGrowth: measuresGrowth, host: replay?.watch)
        // On a busy machine a right plugin may miss a limit of time once.
        if !report.failed.isEmpty, Set(report.failed).isSubset(of: ["end-of-input", "terminate", "timeout"]) {
            report = await PluginTrial.report(
                path, replay?.settings ?? settings, measuresGrowth: measuresGrowth, host: replay?.watch)
        }
        for result in report.results {
            guard case .failed(let failures) = result.verdict else { continue }
            for failure in failures {
                Issue.record("\(result.check.rawValue): \(ConformanceWording.sentence(failure.fault))")
            }
        }
        #expect(report.unused == [])
        // Not skipped: its samples are there.
        let resolution = report.results.first { $0.check == .resolution }
        guard case .passed? = resolution?.verdict else {
            Issue.record("no sample was resolved")
            return
        }
    }
}
