import ArgumentParser
import CommandOutput
import Foundation
import SyncFacts
import Terminal

/// The environment of a command: variables, terminal, settings file.
struct CommandContext: Sendable {
    let environment: [String: String]
    let output: OutputChannel
    let zone: TimeZone

    /// The environment of this process.
    init() {
        environment = ProcessInfo.processInfo.environment
        output = OutputChannel()
        zone = .current
    }

    /// The effective settings with these options. Prints every mistake and ends with 64 if there is one.
    ///
    /// - Parameter allShards: whether the command is a sync of all shards.
    func settings(allShards: Bool = false, _ options: [String: [String]]...) async throws -> SyncSettings {
        let texts = options.reduce(into: [:]) { all, texts in all.merge(texts) { first, _ in first } }
        do throws(SettingsError) {
            let layers = try SettingLayers.read(options: texts, environment: environment)
            let settings = try SyncSettings(layers, allShards: allShards)
            SuggestedCommand.remember(settings.givenPlaces)
            if allShards { SuggestedCommand.rememberAllShards() }
            return settings
        } catch {
            for problem in error.problems { complain(problem.text) }
            throw await exit(.usage)
        }
    }

    /// Like ``settings(_:)``, for a command that uses the named files and folders: a missing one is a mistake, too.
    func usableSettings(allShards: Bool = false, _ options: [String: [String]]...) async throws -> SyncSettings {
        let texts = options.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        let settings = try await settings(allShards: allShards, texts)
        let missing = settings.missing
        guard missing.isEmpty else { throw await refuse(.usage, missing.joined(separator: "\nerror: ")) }
        return settings
    }

    /// Prints a line of results.
    func say(_ line: String) { output.line(line, to: STDOUT_FILENO) }

    /// Prints a diagnostic.
    func complain(_ text: String) { output.line(text, to: STDERR_FILENO) }

    /// The error to throw to end with a status, once all output is written.
    func exit(_ status: ExitStatus) async -> ExitCode {
        await output.flush()
        if status == .success, let lost = await lostOutput() { return lost }
        return ExitCode(status.rawValue)
    }

    /// Waits until all output is written; throws if results can't be written.
    func finish() async throws {
        await output.flush()
        if let lost = await lostOutput() { throw lost }
    }

    /// The error to throw if results can't be written. A reader that closed the pipe is no error.
    private func lostOutput() async -> ExitCode? {
        guard let code = output.failure(of: STDOUT_FILENO) else { return nil }
        complain(Self.unwritable(code))
        await output.flush()
        return ExitCode(ExitStatus.stateUnusable.rawValue)
    }

    /// The message for results that can't be written.
    static func unwritable(_ code: Int32) -> String {
        "error: can't write the output: \(String(cString: strerror(code)))"
    }

    /// The style for output to a descriptor.
    func style(of descriptor: Int32) -> TerminalStyle {
        var style = TerminalStyle(environment: environment)
        style.hasColor = style.hasColor && isatty(descriptor) == 1
        // Files and pipes get the text unchanged.
        if isatty(descriptor) == 0 { style.hasUnicode = true }
        return style
    }
}

extension CommandContext {
    /// The result of `body`; if it is refused, prints the reason and ends with the refusal's exit code.
    func orRefuse<Value>(_ body: () async throws(Refusal) -> Value) async throws -> Value {
        do throws(Refusal) {
            return try await body()
        } catch {
            throw await refuse(ExitStatus([error.condition]), error.message)
        }
    }

    /// Says which shards are left out, and why.
    func warn(of leftOut: [Refusal]) {
        for refusal in leftOut { complain("warning: " + TerminalFormat.printable(refusal.message)) }
    }

    /// Ends an answer about all shards: names those that are left out, also as JSON, and throws for their exit code.
    func finish(leavingOut leftOut: [Refusal], json: Bool) async throws {
        for refusal in leftOut where json {
            output.send(JSONEvents.leftOut(refusal, now: Date()), to: STDOUT_FILENO)
        }
        warn(of: leftOut)
        try await finish()
        if !leftOut.isEmpty { throw await exit(ExitStatus(Set(leftOut.map(\.condition)))) }
    }

    /// The error to throw after a failure that ends the command.
    func refuse(_ status: ExitStatus, _ message: String) async -> ExitCode {
        complain("error: " + TerminalFormat.printableLines(message).joined(separator: "\n"))
        return await exit(status)
    }

    /// The catalogs of the settings. Without any it says how to name some, and ends with 64.
    func catalogs(_ settings: SyncSettings) async throws -> [String] {
        let catalogs = settings.catalogs.value
        guard catalogs.isEmpty else { return catalogs }
        throw await refuse(.usage, noCatalog)
    }

    /// What a command says that needs a catalog and has none.
    var noCatalog: String {
        let file = SettingsFile.path(environment: environment) ?? "~/.config/coursefetch/config.yaml"
        return """
            no catalog is named. Name one (\(SuggestedCommand.text("sync catalog.yaml"))), or list yours in \(file) \
            (catalogs: [/path/to/catalog.yaml]). A first one is made by: coursefetch init
            """
    }
}
