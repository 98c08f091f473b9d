import Foundation
import Subprocess
import Synchronization
import SystemPackage

/// A command of the person: gets one input, and has a time by which it is over.
///
/// It runs with `/bin/sh -c`, with our environment, in a process group of its own, which is ended as a whole: TERM, and KILL 2
/// seconds later. Nothing of the group is left when ``run(input:)`` returns.
struct HookProcess: Sendable {
    /// How it ended.
    enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
        case timedOut
        case notStarted
        /// The run was told to stop.
        case cancelled
    }

    /// How it ended, and what it said.
    struct Outcome: Sendable {
        var ending: Ending
        /// Of its standard output, what fits the bound.
        var output: [UInt8]
        /// Of its standard error, the end.
        var errors: [UInt8]
    }

    /// How much of either output is kept, in bytes.
    static let textBound = 64 << 10
    private static let grace = Duration.seconds(2)

    let hook: Hook
    let folder: String?

    func run(input: [UInt8]) async -> Outcome {
        let said = Said()
        let ending = await end(input, said)
        return Outcome(ending: ending, output: said.output.withLock { $0 }, errors: said.errors.withLock { $0 })
    }

    private func end(_ input: [UInt8], _ said: Said) async -> Ending {
        guard !Task.isCancelled else { return .cancelled }
        do {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", hook.command], environment: .inherit,
                workingDirectory: folder.map { FilePath($0) }, platformOptions: Self.options, input: .inputWriter,
                output: .sequence, error: .sequence
            ) { execution in
                await serve(execution, input, said)
            }
            if Task.isCancelled { return .cancelled }
            if result.closureResult { return .timedOut }
            switch result.terminationStatus {
            case .exited(let code): return .exited(code)
            case .signaled(let signal): return .signaled(signal)
            }
        } catch {
            return Task.isCancelled ? .cancelled : .notStarted
        }
    }

    /// Whether the limit came first. Never throws: the body of `Subprocess.run` must not, since the group would then be forgotten
    /// once its leader has obeyed TERM.
    private func serve(
        _ execution: Execution<CustomWriteInput, SequenceOutput, SequenceOutput>, _ input: [UInt8], _ said: Said
    ) async -> Bool {
        await withTaskGroup(of: Bool?.self) { group in
            group.addTask {
                // It need not read any of it.
                _ = try? await execution.standardInputWriter.write(input)
                try? await execution.standardInputWriter.finish()
                return nil
            }
            group.addTask {
                do { for try await bytes in execution.standardOutput { said.addOutput(bytes) } } catch {}
                return false
            }
            group.addTask {
                do { for try await bytes in execution.standardError { said.addError(bytes) } } catch {}
                return false
            }
            group.addTask { [hook] in
                do { try await Task.sleep(for: hook.timeout) } catch { return nil }
                return true
            }
            var isOverdue = false
            var open = 2
            // Both outputs, or the limit.
            while open > 0, !isOverdue, !Task.isCancelled, let ended = await group.next() {
                if let ended {
                    open -= 1
                    isOverdue = ended
                }
            }
            if isOverdue || Task.isCancelled { await execution.teardown(using: Self.teardown) }
            try? execution.send(signal: .kill, toProcessGroup: true)
            group.cancelAll()
            return isOverdue
        }
    }

    private static let teardown: [TeardownStep] = [
        .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
    ]

    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = teardown
        return options
    }
}

/// What a command has said so far, within the bound.
private final class Said: Sendable {
    let output = Mutex<[UInt8]>([])
    let errors = Mutex<[UInt8]>([])

    func addOutput(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            output.withLock { $0.append(contentsOf: bytes.prefix(HookProcess.textBound - $0.count)) }
        }
    }

    func addError(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            errors.withLock { errors in
                errors.append(contentsOf: bytes.suffix(HookProcess.textBound))
                errors.removeFirst(max(0, errors.count - HookProcess.textBound))
            }
        }
    }
}
