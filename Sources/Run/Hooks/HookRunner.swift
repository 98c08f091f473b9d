package import ChildProcess
import Foundation
import Synchronization
import SystemPackage
import YAMLSource

/// Runs the user's hook commands: those of one point in sequence, and altogether at most as many at a time as downloads
/// are allowed.
///
/// Their output is logged, line by line, without secrets from their input. At the end of the run running commands are
/// ended, and no more begin.
package final class HookRunner: Sendable {
    /// The request to send, after `before-request`.
    package enum RequestVerdict: Sendable, Equatable {
        case go(RequestChange)
        case refused(String?)
        case trouble(HookProblem)
    }

    /// The decision about a file, after `after-download`.
    package enum FileVerdict: Sendable, Equatable {
        case accepted
        case rejected(String?)
        case again(String?)
        case trouble(HookProblem)
    }

    private struct State {
        var running: [Int: Task<BoundedProcess.Outcome, Never>] = [:]
        var last = 0
        var isOver = false
    }

    /// The limit on either output, in bytes.
    private static let textBound = 64 << 10

    let settings: HookSettings
    private let slots: HookSlots
    private let watch: GroupWatch
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - jobs: the number of commands that may run at a time, asked before each.
    ///   - watch: ends running commands if this process is killed.
    ///   - log: takes a line of a command's output.
    package init(
        _ settings: HookSettings, jobs: @escaping @Sendable () -> Int, watch: GroupWatch,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.watch = watch
        self.log = log
        slots = HookSlots(jobs)
    }

    /// Whether there is a command for a point.
    package func has(_ point: HookPoint) -> Bool { settings.has(point) }

    /// Ends running commands; later calls fail.
    package func shutDown() {
        let running = state.withLock { state in
            state.isOver = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }

    /// Each command gets the address as changed by the one before it.
    package func beforeRequest(_ facts: RequestFacts) async -> RequestVerdict {
        var facts = facts
        var named: Set<String> = []
        for hook in settings.commands[.beforeRequest] ?? [] {
            let answer = await ask(hook, facts, hiding: facts.secrets)
            switch answer.verdict {
            case .accept: break
            case .reject(let reason), .again(let reason): return .refused(reason)
            case .broken(let trouble): return .trouble(trouble)
            }
            if let url = answer.url {
                guard url.hasPrefix("http://") || url.hasPrefix("https://") else { return .trouble(.badURL) }
                facts.url = url
            }
            for (name, value) in answer.headers {
                guard Self.isHeader(name, value ?? "") else { return .trouble(.badHeader(name)) }
                // A name counts in any case.
                for old in facts.headers.keys where old.lowercased() == name.lowercased() { facts.headers[old] = nil }
                facts.headers[name] = value
                named.insert(name.lowercased())
            }
        }
        return .go(RequestChange(url: facts.url, headers: facts.headers, named: named))
    }

    /// Related: RFC 9110 §5.1 and §5.5.
    private static func isHeader(_ name: String, _ value: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                marks.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            } && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// The first that doesn't accept decides.
    ///
    /// - Parameter stamp: identifies the file's state, to detect changes.
    package func afterDownload<Stamp: Equatable>(
        _ facts: DownloadedFacts, stamp: () -> Stamp
    ) async -> FileVerdict {
        let before = stamp()
        for hook in settings.commands[.afterDownload] ?? [] {
            switch await ask(hook, facts, hiding: []).verdict {
            case .accept: break
            case .reject(let reason): return .rejected(reason)
            case .again(let reason): return .again(reason)
            case .broken(let trouble): return .trouble(trouble)
            }
            guard stamp() == before else { return .trouble(.changedFile) }
        }
        return .accepted
    }

    func ask(_ hook: Hook, _ facts: some Encodable, hiding secrets: [String]) async -> HookAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let input = Array((try? encoder.encode(facts)) ?? Data()) + [UInt8(ascii: "\n")]
        await slots.enter()
        let outcome = await run(hook, input)
        await slots.leave()
        let errors = Self.lines(outcome.errorTail, hiding: secrets)
        for line in errors { log(line) }
        let isObject = outcome.outputHead.first { $0 > 0x20 } == UInt8(ascii: "{")
        if !isObject { for line in Self.lines(outcome.outputHead, hiding: secrets) { log(line) } }
        return HookAnswer(outcome.ending, output: outcome.outputHead, complaint: errors.last) { reason in
            Self.lines(Array(reason.utf8), hiding: secrets).joined(separator: " ")
        }
    }

    private func run(_ hook: Hook, _ input: [UInt8]) async -> BoundedProcess.Outcome {
        var command = BoundedProcess(command: hook.command, limit: hook.timeout)
        command.folder = settings.folder.map { FilePath($0) }
        command.input = input
        command.textBound = Self.textBound
        let task = Task { [command, watch] in await command.run(watch: watch) }
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.last += 1
            state.running[state.last] = task
            return state.last
        }
        if number == nil { task.cancel() }
        let outcome = await task.value
        if let number { state.withLock { $0.running[number] = nil } }
        return outcome
    }

    /// Replaces a secret while addresses are shortened: an address with a secret in it loses its query, too.
    private static let gap: Character = "\u{E000}"

    /// The lines of a text that aren't blank, without secrets, without user and query of an address, and without
    /// control characters.
    static func lines(_ bytes: [UInt8], hiding secrets: [String]) -> [String] {
        var text = String(decoding: bytes, as: UTF8.self)
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            text = text.replacing(secret, with: String(gap))
        }
        text = AddressRedactor.withoutSecrets(text)
        text = text.replacing(String(gap), with: "<redacted>")
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let shown = String(
                String.UnicodeScalarView(
                    line.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }.prefix(500)))
            return shown.allSatisfy(\.isWhitespace) ? nil : shown
        }
    }
}

/// Limits the number of commands at a time.
private actor HookSlots {
    private let limit: @Sendable () -> Int
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ limit: @escaping @Sendable () -> Int) { self.limit = limit }

    func enter() async {
        guard inside >= max(1, limit()) || !waiting.isEmpty else { return inside += 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        inside -= 1
        while inside < max(1, limit()), !waiting.isEmpty {
            inside += 1
            waiting.removeFirst().resume()
        }
    }
}
