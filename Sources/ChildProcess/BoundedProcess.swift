import Foundation
import Subprocess
import Synchronization
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that runs to its end: something to read, bounded outputs, and a time by which it is over.
///
/// It gets a process group of its own, which is ended as a whole: TERM when its time is over, and KILL 2 seconds later. Once the
/// program itself has ended, what it left in the group is killed: nothing of the group is there when ``run(watch:)`` returns.
package struct BoundedProcess: Sendable {
    /// How it ended.
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
        /// It was still running at its limit.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// There is no such program, or it can't be executed.
        case notFound
        /// It couldn't be started for want of processes, memory or descriptors.
        case notStarted
    }

    /// How it ended, and what it said.
    package struct Outcome: Sendable {
        package var ending: Ending
        /// The first ``BoundedProcess/textBound`` bytes of its standard output.
        package var outputHead: [UInt8]
        /// The last ``BoundedProcess/textBound`` bytes of its standard error.
        package var errorTail: [UInt8]
    }

    /// Which variables it sees.
    package enum Variables: Sendable {
        /// All of ours.
        case ours
        /// `PATH`, `LANG` and `HOME`.
        case few
    }

    /// How long it may take to end after TERM, and its outputs after its end.
    private static let grace = Duration.seconds(2)

    private let executable: FilePath
    private let arguments: [String]
    private let limit: Duration
    /// What it reads; it need not read any of it.
    package var input: [UInt8] = []
    package var variables = Variables.few
    /// Where it runs; nil for where we do.
    package var folder: FilePath? = "/"
    /// Gives way to everything else: niceness 10.
    package var isModest = false
    /// How much of either output is kept, in bytes.
    package var textBound = 4 << 10

    package init(executable: FilePath, arguments: [String], limit: Duration) {
        self.executable = executable
        self.arguments = arguments
        self.limit = limit
    }

    /// A command of the person: `/bin/sh -c`, in our folder and with our variables.
    ///
    /// - Parameter arguments: the command's `$@`.
    package init(command: String, arguments: [String] = [], limit: Duration) {
        self.init(executable: "/bin/sh", arguments: ["-c", command, "sh"] + arguments, limit: limit)
        variables = .ours
        folder = nil
    }

    /// Runs it to its end, its limit or the cancellation of the task, whichever is first.
    package func run(watch: GroupWatch = .none) async -> Outcome {
        let said = Said(bound: textBound)
        let ending = await end(watch, said)
        return Outcome(ending: ending, outputHead: said.head.withLock { $0 }, errorTail: said.tail.withLock { $0 })
    }

    private func end(_ watch: GroupWatch, _ said: Said) async -> Ending {
        guard !Task.isCancelled else { return .cancelled }
        do {
            let result = try await Subprocess.run(
                .path(executable), arguments: Arguments(arguments), environment: environment,
                workingDirectory: folder, platformOptions: Self.options, input: .inputWriter, output: .sequence,
                error: .sequence
            ) { execution in
                let group = execution.processIdentifier.value
                if isModest { ProcessPriority.lower(group: group) }
                await watch.began(group)
                let isOverdue = await serve(execution, said)
                await watch.ended(group)
                return isOverdue
            }
            // The status of a program that obeyed TERM says nothing.
            if Task.isCancelled { return .cancelled }
            if result.closureResult { return .timedOut }
            switch result.terminationStatus {
            case .exited(let code): return .exited(code)
            case .signaled(let signal): return .signaled(signal)
            }
        } catch let error as SubprocessError {
            if Task.isCancelled { return .cancelled }
            return error.code == .executableNotFound ? .notFound : .notStarted
        } catch {
            return Task.isCancelled ? .cancelled : .notStarted
        }
    }

    /// What has come to its end.
    private enum Step {
        case program, limit, output, input, patience
    }

    /// Serves the program until it has ended, and ends the group. Whether the limit came first. Never throws, as the body of
    /// `Subprocess.run` must not: the group would be forgotten once its leader has obeyed TERM.
    private func serve(
        _ execution: Execution<CustomWriteInput, SequenceOutput, SequenceOutput>, _ said: Said
    ) async -> Bool {
        await withTaskGroup(of: Step.self) { group in
            group.addTask { [input] in
                _ = try? await execution.standardInputWriter.write(input)
                try? await execution.standardInputWriter.finish()
                return .input
            }
            group.addTask {
                // An output that can't be read is one that says nothing.
                do { for try await bytes in execution.standardOutput { said.addHead(bytes) } } catch {}
                return .output
            }
            group.addTask {
                do { for try await bytes in execution.standardError { said.addTail(bytes) } } catch {}
                return .output
            }
            // Its outputs don't tell: it may have sent them elsewhere, and what it has started may hold them.
            group.addTask {
                await Self.leaderEnded(execution.processIdentifier.value)
                return .program
            }
            group.addTask { [limit] in
                do { try await Task.sleep(for: limit) } catch { return .input }
                return .limit
            }
            var open = 2
            var last = Step.input
            while last != .program, last != .limit, !Task.isCancelled, let step = await group.next() {
                last = step
                if step == .output { open -= 1 }
            }
            // While the leader isn't reaped yet and its number can't belong to anybody else.
            if last == .limit || Task.isCancelled { await execution.teardown(using: Self.teardown) }
            try? execution.send(signal: .kill, toProcessGroup: true)
            // What it has said may not have been read yet. Who has left the group may hold the outputs for ever.
            group.addTask {
                try? await Task.sleep(for: Self.grace)
                return .patience
            }
            let isOverdue = last == .limit
            while open > 0, last != .patience, !Task.isCancelled, let step = await group.next() {
                last = step
                if step == .output { open -= 1 }
            }
            group.cancelAll()
            return isOverdue
        }
    }

    /// Returns when the leader has ended; it isn't reaped by that. On a thread of its own, since it may take hours.
    private static func leaderEnded(_ leader: pid_t) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var facts = siginfo_t()
                while waitid(P_PID, id_t(leader), &facts, WEXITED | WNOWAIT) == -1, errno == EINTR {}
                continuation.resume()
            }
        }
    }

    private static let teardown: [TeardownStep] = [
        .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
    ]

    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        // What cancellation does, beside the body.
        options.teardownSequence = teardown
        return options
    }

    private var environment: Environment {
        guard case .few = variables else { return .inherit }
        let ours = ProcessInfo.processInfo.environment
        var theirs: [Environment.Key: String] = ["PATH": ours["PATH"] ?? "/usr/bin:/bin"]
        theirs["LANG"] = ours["LANG"]
        theirs["HOME"] = ours["HOME"]
        return .custom(theirs)
    }
}

/// What a program has said so far, within the bound.
private final class Said: Sendable {
    let head = Mutex<[UInt8]>([])
    let tail = Mutex<[UInt8]>([])
    private let bound: Int

    init(bound: Int) { self.bound = bound }

    func addHead(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            head.withLock { $0.append(contentsOf: bytes.prefix(bound - $0.count)) }
        }
    }

    func addTail(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            tail.withLock { tail in
                tail.append(contentsOf: bytes.suffix(bound))
                tail.removeFirst(max(0, tail.count - bound))
            }
        }
    }
}
