import Foundation
package import ProviderHost
import ProviderKit
package import SystemPackage
import YAMLSource

/// The conformance suite: every check on one plugin, in the order of ``ConformanceCheck``.
///
/// It speaks lines with the plugin's own processes. Each wait is bounded, and none of the processes is left on return.
package struct ConformanceSuite: PrintsRedacted {
    /// The plugin's folder.
    private let folder: FilePath
    private let environment: [String: String]
    private let executable: FilePath
    /// Called with each result as soon as it is there.
    private let report: (ConformanceReport.Result) -> Void
    private var host: HostWatch?

    /// - Parameters:
    ///   - environment: the variables of this process, of which the plugin gets its own.
    ///   - executable: the coursefetch executable, beside which programs are looked up.
    ///   - host: the server that replays exchanges.
    package init(
        folder: FilePath, environment: [String: String], executable: FilePath,
        host: HostWatch? = nil, report: @escaping (ConformanceReport.Result) -> Void = { _ in }
    ) {
        self.folder = folder
        self.environment = environment
        self.executable = executable
        self.host = host
        self.report = report
    }

    /// The plugin in the folder, as the host would find it. Starts nothing.
    package func plugin() -> Result<Plugin, BrokenPlugin>? {
        PluginRegistry.plugin(in: folder, environment: environment, executable: executable)
    }

    package func run(_ settings: CheckSettings) async -> ConformanceReport {
        let start = ContinuousClock.now
        var run = Tally(report: report)
        let name = folder.lastComponent?.string ?? folder.string
        var head = ConformanceReport(name: name, version: nil, folder: folder.string)
        switch plugin() {
        case nil: run.add(.manifest, .failed(.noManifest))
        case .failure(let broken):
            head.name = broken.name
            let reasons = broken.diagnostics.map { "\($0.location): \($0.summary)" }
            run.add(.manifest, .failed(.manifest(reasons.isEmpty ? [broken.reason] : reasons)))
        case .success(let plugin):
            head.name = plugin.name
            head.version = plugin.manifest.version
            head.warnings = plugin.warnings.map { "\($0.location): \($0.summary)" }
            run.add(.manifest, .passed)
            await check(plugin, settings, &run)
        }
        for check in ConformanceCheck.allCases where !run.has(check) { run.add(check, .skipped(.brokenManifest)) }
        head.results = run.results
        // Where the plugin doesn't answer, nothing was asked.
        if head.results.contains(where: { $0.check == .starts && !$0.verdict.isFailure }) {
            head.unused = host?.unused() ?? []
        }
        head.duration = .now - start
        return head
    }

    private func check(_ plugin: Plugin, _ settings: CheckSettings, _ run: inout Tally) async {
        run.add(.parameters, SchemaChecks(plugin: plugin, settings: settings).run())
        let data = FileManager.default.temporaryDirectory.appending(path: "coursefetch-check-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(
            at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: data) }
        let watchdog = OrphanWatchdog()
        let context = CheckContext(
            plugin, settings, dataFolder: data.path(percentEncoded: false), watchdog: watchdog, host: host)
        let before = FolderSnapshot(plugin.folder.string)
        await converse(context, settings, &run)
        await context.endSession()
        await watchdog.close()
        let written = before.changes(to: FolderSnapshot(plugin.folder.string))
        conclude(context, written, &run)
    }

    private func converse(_ context: CheckContext, _ settings: CheckSettings, _ run: inout Tally) async {
        if context.samples.isEmpty { context.samples = SampleVideo.madeUp }
        let opening = StartupChecks(context: context)
        let (starts, unknownMethod) = await opening.starts()
        run.add(.starts, starts)
        guard !starts.isFailure else { return }
        run.add(.unknownMethod, unknownMethod)
        await step(.login, on: context, &run) { await opening.login() }
        let listing = await ListChecks(context: context).run()
        for check in [ConformanceCheck.list, .listPages, .listIDs, .listKnown] {
            run.add(check, listing.verdicts[check] ?? .skipped(.silent))
        }
        await step(.courses, on: context, &run) { await CoursesChecks(context: context).run() }
        await step(.recognise, on: context, &run) { await RecogniseChecks(context: context).run() }
        let resolve = ResolveChecks(context: context)
        var expected = CheckVerdict.skipped(.silent)
        await step(.resolution, on: context, &run) {
            let verdicts = await resolve.resolution()
            expected = verdicts.expected
            return verdicts.resolution
        }
        run.add(.expected, expected)
        await step(.quality, on: context, &run) { await resolve.quality() }
        await step(.nulls, on: context, &run) { await resolve.nulls() }
        await step(.unknownKeys, on: context, &run) { await resolve.unknownKeys() }
        await step(.linesWithoutID, on: context, &run) { await resolve.linesWithoutID() }
        await step(.oddIDs, on: context, &run) { await resolve.oddIDs() }
        await step(.longIDs, on: context, &run) { await resolve.longIDs() }
        await step(.longLines, on: context, &run) { await resolve.longLines() }
        await step(.concurrency, on: context, &run) { await ConcurrencyChecks(context: context).run() }
        await step(.renewal, on: context, &run) { await RenewalChecks(context: context).run() }
        await step(.renewalTurns, on: context, &run) { await RenewalChecks(context: context).turns() }
        let time = TimeChecks(context: context)
        await step(.now, on: context, &run) { await time.now() }
        await step(.timeZone, on: context, &run) { await ZoneChecks(context: context).run() }
        await step(.expiry, on: context, &run) { time.expiry() }
        await step(.rejected, on: context, &run) { await time.rejected() }
        let sameness = DeterminismChecks(context: context)
        await step(.ignoresCourse, on: context, &run) { await sameness.ignoresCourse() }
        await step(.selfContained, on: context, &run) { await sameness.selfContained(cursor: listing.cursor) }
        let life = LifecycleChecks(context: context, patience: settings.growthPatience)
        await step(.growth, on: context, &run) { await life.growth() }
        await step(.endOfInput, on: context, &run) { await life.endOfInput() }
        await step(.terminate, on: context, &run) { await life.terminate() }
        if !context.isSilent { await SecretChecks(context: context).provoke() }
    }

    private func step(
        _ check: ConformanceCheck, on context: CheckContext, _ run: inout Tally, _ body: () async -> CheckVerdict
    ) async {
        run.begin()
        _ = context.takeStderr()
        guard !context.isSilent else { return run.add(check, .skipped(.silent)) }
        var verdict = await body()
        if case .failed(var failures) = verdict {
            var words = context.takeStderr()
            if words.isEmpty {
                // On a busy machine it is read later than the answer that it was written before.
                try? await Task.sleep(for: .milliseconds(300))
                words = context.takeStderr()
            }
            for index in failures.indices where failures[index].stderr.isEmpty { failures[index].stderr = words }
            verdict = .failed(failures)
        }
        run.add(check, verdict)
    }

    /// The results of what was watched all the time.
    private func conclude(_ context: CheckContext, _ written: [String], _ run: inout Tally) {
        let watching: [ConformanceCheck] = [
            .stdout, .flush, .requestIDs, .answersOnce, .errors, .timeout, .secretsInStderr, .secretsInMessages,
            .secretsInListings, .cookies, .exchanges,
        ]
        for request in (context.host?.strays() ?? []).prefix(3) {
            context.note(.cookies, CheckFailure(.strayCookie(request: context.secrets.redactor.redact(request))))
        }
        for check in ConformanceCheck.allCases where !run.has(check) && !watching.contains(check) && check != .folder {
            run.add(check, .skipped(.silent))
        }
        run.begin()
        for check in watching {
            let isSilent = context.answers == 0
            if let failures = context.noticed[check] {
                run.add(check, CheckVerdict(failures))
            } else if check == .secretsInListings, !context.plugin.manifest.methods.contains("list") {
                run.add(check, .skipped(.noMethod("list")))
            } else if check == .cookies, context.plugin.manifest.cookies.isEmpty {
                run.add(check, .skipped(.noCookies))
            } else if check == .exchanges, context.host == nil {
                run.add(check, .skipped(.noExchanges))
            } else {
                run.add(check, isSilent ? .skipped(.silent) : .passed)
            }
        }
        run.add(.folder, written.isEmpty ? .passed : .failed(.wroteTo(Array(written.prefix(10)))))
    }
}

/// The results so far.
private struct Tally {
    let report: (ConformanceReport.Result) -> Void
    private(set) var results: [ConformanceReport.Result] = []
    private var start = ContinuousClock.now
    private var causes = FailureCauses()

    init(report: @escaping (ConformanceReport.Result) -> Void) { self.report = report }

    func has(_ check: ConformanceCheck) -> Bool { results.contains { $0.check == check } }

    mutating func begin() { start = .now }

    mutating func add(_ check: ConformanceCheck, _ verdict: CheckVerdict) {
        let told = causes.told(verdict, by: check)
        let result = ConformanceReport.Result(check: check, verdict: told, duration: .now - start)
        results.append(result)
        report(result)
        start = .now
    }
}
