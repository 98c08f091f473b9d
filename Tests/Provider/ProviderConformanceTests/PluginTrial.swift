import Foundation
import ProviderConformance
import SystemPackage
import TestSupport

/// A plugin in a folder of a test's own, and what the suite says of it.
struct PluginTrial {
    let folder = TemporaryFolder()

    static let manifest = """
        name: faulty
        version: 1.0.0
        protocol: 1
        run: [python3, faulty.py]
        methods: [resolve, list, courses, recognise, login]
        ignores_course: true
        concurrency: 4
        timeout: 30
        credentials: [username, password, session]
        cookies: [session]

        """

    /// The plugin of `faulty.py`, right but for one fault.
    init(fault: String?, timeout: Int = 30) throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "faulty.py")
        try write(try String(contentsOf: source, encoding: .utf8), to: "faulty.py")
        let run = fault.map { "run: [python3, faulty.py, --fault, \($0)]" } ?? "run: [python3, faulty.py]"
        try write(
            Self.manifest.replacing("run: [python3, faulty.py]", with: run)
                .replacing("timeout: 30", with: "timeout: \(timeout)"), to: "plugin.yaml")
    }

    /// An empty folder.
    init() {}

    /// Writes a file that only its owner may write.
    func write(_ text: String, to name: String, mode: Int = 0o644) throws {
        try folder.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.at(name).string)
    }

    /// The suite's report.
    func report(
        _ settings: CheckSettings = CheckSettings(), measuresGrowth: Bool = false
    ) async -> ConformanceReport {
        await Self.report(folder.path, settings, measuresGrowth: measuresGrowth)
    }

    /// The suite's report on the plugin in any folder. Few run at once: each of them measures time. Growth takes nine
    /// tenths of all requests; without it, its check is skipped.
    static func report(
        _ folder: FilePath, _ settings: CheckSettings = CheckSettings(), measuresGrowth: Bool = false,
        host: HostWatch? = nil
    ) async -> ConformanceReport {
        var settings = settings
        // On a busy machine a thousand requests take longer than people wait.
        settings.growthPatience = measuresGrowth ? .seconds(300) : .zero
        await Turnstile.plugins.enter()
        let suite = ConformanceSuite(
            folder: folder, environment: ProcessInfo.processInfo.environment,
            executable: Built.executable("coursefetch"), host: host)
        let report = await suite.run(settings)
        await Turnstile.plugins.leave()
        return report
    }
}

extension ConformanceReport {
    /// The ids of the checks that failed.
    var failed: [String] { results.filter(\.verdict.isFailure).map(\.check.rawValue) }

    /// The failures of one check.
    func failures(_ check: ConformanceCheck) -> [CheckFailure] {
        guard case .failed(let failures) = results.first(where: { $0.check == check })?.verdict else { return [] }
        return failures
    }
}

/// Lets four in at a time.
private actor Turnstile {
    static let plugins = Turnstile()

    private var free = 4
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
