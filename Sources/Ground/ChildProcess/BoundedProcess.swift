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

/// A program that runs to its end, with input, bounded outputs and a time limit.
///
/// It gets its own process group, which is ended as a whole: TERM at its limit, and KILL 2 seconds later. Once the
/// program itself has ended, remaining processes of the group are killed: none is left when ``run(watch:)`` returns.
package struct BoundedProcess: Sendable {
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
        /// It was still running at its limit.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// The program doesn't exist, or can't be executed.
        case notFound
        /// It couldn't be started because of missing processes, memory or descriptors.
        case notStarted
    }

    /// The way it ended, and its output.
    package struct Outcome: Sendable {
        package var ending: Ending
        /// The first ``BoundedProcess/textBound`` bytes of its standard output.
        package var outputHead: [UInt8]
        /// The last ``BoundedProcess/textBound`` bytes of its standard error.
        package var errorTail: [UInt8]
    }

    /// The variables of its environment.
    package enum Variables: Sendable {
        case ours
        /// `PATH`, `LANG` and `HOME`.
        case few
    }

    /// The time it may take to end after TERM, and its outputs after its end.
    private static let grace = Duration.seconds(2)

    private let executable: FilePath
    private let arguments: [String]
    private let limit: Duration
    /// Its input; it needn't read any of it.
    package var input: [UInt8] = []
    /// An input that comes by and by, in place of ``input``. Ends when this returns; the function that it gets writes
    /// bytes, and returns whether the program has taken all of them.
    package var feed: (@Sendable (_ write: @Sendable ([UInt8]) async -> Bool) async -> Void)?
    package var variables = Variables.few
    /// Its working folder; nil for ours.
    package var folder: FilePath? = "/"
    /// Runs at low priority: niceness 10.
    package var isModest = false
    /// The limit on each kept output, in bytes.
    package var textBound = 4 << 10

    package init(executable: FilePath, arguments: [String], limit: Duration) {
        self.executable = executable
        self.arguments = arguments
        self.limit = limit
    }

    /// A command of the user: `/bin/sh -c`, in our folder and with our variables.
    ///
    /// - Parameter arguments: the command's `$@`.
    package init(command: String, arguments: [String] = [], limit: Duration) {
        self.init(executable: "/bin/sh", arguments: ["-c", command, "sh"] + arguments, limit: limit)
        variables = .ours
        folder = nil
    }

    /// Runs it to its end, its limit or the cancellation of the task, whichever is first.
    package func run(watch: GroupWatch = .none) async -> Outcome {
        let said = ProcessOutput(bound: textBound)
        let ending = await end(watch, said)
        return Outcome(ending: ending, outputHead: said.head.withLock { $0 }, errorTail: said.tail.withLock { $0 })
    }

    private func end(_ watch: GroupWatch, _ said: ProcessOutput) async -> Ending {
        guard !Task.isCancelled else { return .cancelled }
        do {
            let (stdin, stderr) = (try ChildPipe(.writes), try ChildPipe(.reads))
            let result = try await Subprocess.run(
                .path(executable), arguments: Arguments(arguments), environment: environment,
                workingDirectory: folder, platformOptions: Self.options,
                input: .fileDescriptor(stdin.childEnd, closeAfterSpawningProcess: false), output: .sequence,
                error: .fileDescriptor(stderr.childEnd, closeAfterSpawningProcess: false)
            ) { execution in
                stdin.started()
                stderr.started()
                let group = execution.processIdentifier.value
                if isModest { ProcessPriority.lower(group: group) }
                await watch.began(group)
                let isOverdue = await serve(execution, stdin: stdin, stderr: stderr, said: said)
                await watch.ended(group)
                return isOverdue
            }
            // The status of a program that ended because of TERM means nothing.
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

    /// The step that has ended.
    private enum Step {
        case program, limit, output, input, patience
    }

    /// Waits until the program has ended, and ends the group. Returns whether the limit came first. Never throws, since
    /// after an error `Subprocess.run` would forget the group as soon as its leader has obeyed TERM.
    private func serve(
        _ execution: Execution<FileDescriptorInput, SequenceOutput, FileDescriptorOutput>, stdin: ChildPipe,
        stderr: ChildPipe, said: ProcessOutput
    ) async -> Bool {
        await withTaskGroup(of: Step.self) { group in
            group.addTask { [input, feed] in
                if let feed {
                    await feed { await stdin.write($0) == $0.count }
                } else {
                    _ = await stdin.write(input)
                }
                stdin.finish()
                return .input
            }
            group.addTask {
                // An unreadable output counts as empty.
                do { for try await bytes in execution.standardOutput { said.addHead(bytes) } } catch {}
                return .output
            }
            group.addTask {
                await stderr.read { said.addTail($0) }
                return .output
            }
            // The outputs don't show its end: it may have redirected them, and its children may hold them open.
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
            // While the leader isn't reaped yet, so that its number can't belong to another process.
            if last == .limit || Task.isCancelled { await execution.teardown(using: Self.teardown) }
            try? execution.send(signal: .kill, toProcessGroup: true)
            // Its last output may not have been read yet. A process that left the group may hold the outputs open
            // indefinitely.
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

    /// Returns when the leader has ended, without reaping it. On its own thread, since it may take hours.
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
        // The action at cancellation, beside the body.
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

/// A program's output so far, within the bound.
private final class ProcessOutput: Sendable {
    let head = Mutex<[UInt8]>([])
    let tail = Mutex<[UInt8]>([])
    private let bound: Int

    init(bound: Int) { self.bound = bound }

    func addHead(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            head.withLock { $0.append(contentsOf: bytes.prefix(bound - $0.count)) }
        }
    }

    func addTail(_ bytes: UnsafeRawBufferPointer) {
        tail.withLock { tail in
            tail.append(contentsOf: bytes.suffix(bound))
            tail.removeFirst(max(0, tail.count - bound))
        }
    }
}
