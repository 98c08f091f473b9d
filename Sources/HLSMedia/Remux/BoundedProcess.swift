import Foundation
import Subprocess
import Synchronization
import SystemPackage

/// A program that works by itself on local files: nothing to read, little to say, and a time by which it is over.
///
/// It gets a process group of its own, which is ended as a whole: TERM, and KILL 2 seconds later. Nothing of the group is
/// left when ``run(watch:)`` returns. Of our environment it sees `PATH`, `LANG` and `HOME`.
struct BoundedProcess: Sendable {
    /// How it ended.
    enum Ending: Sendable, Equatable {
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
    struct Outcome: Sendable {
        var ending: Ending
        /// The first 4 KiB of its standard output.
        var outputHead: [UInt8]
        /// The last 4 KiB of its standard error.
        var errorTail: [UInt8]
    }

    /// How much of either output is kept, in bytes.
    static let textBound = 4 << 10

    /// How long it may take to end after TERM.
    private static let grace = Duration.seconds(2)

    let executable: FilePath
    let arguments: [String]
    let limit: Duration
    /// Gives way to everything else: niceness 10.
    let isModest: Bool

    init(executable: FilePath, arguments: [String], limit: Duration, isModest: Bool = false) {
        self.executable = executable
        self.arguments = arguments
        self.limit = limit
        self.isModest = isModest
    }

    /// Runs it to its end, its limit or the cancellation of the task, whichever is first.
    func run(watch: GroupWatch = .none) async -> Outcome {
        let said = Said()
        let ending = await end(watch, said)
        return Outcome(ending: ending, outputHead: said.head.withLock { $0 }, errorTail: said.tail.withLock { $0 })
    }

    private func end(_ watch: GroupWatch, _ said: Said) async -> Ending {
        guard !Task.isCancelled else { return .cancelled }
        do {
            let result = try await Subprocess.run(
                .path(executable), arguments: Arguments(arguments), environment: .custom(Self.environment),
                workingDirectory: "/", platformOptions: Self.options, input: .none, output: .sequence, error: .sequence
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
            return error.code == .executableNotFound ? .notFound : .notStarted
        } catch {
            return .notStarted
        }
    }

    /// Reads both outputs until they end, and ends the group. Whether the limit came first. Never throws, as the body of
    /// `Subprocess.run` must not: the group would be forgotten once its leader has obeyed TERM.
    private func serve(
        _ execution: Execution<some InputProtocol, SequenceOutput, SequenceOutput>, _ said: Said
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                // An output that can't be read is one that says nothing.
                do { for try await bytes in execution.standardOutput { said.addHead(bytes) } } catch {}
                return false
            }
            group.addTask {
                do { for try await bytes in execution.standardError { said.addTail(bytes) } } catch {}
                return false
            }
            group.addTask { [limit] in
                do { try await Task.sleep(for: limit) } catch { return false }
                return true
            }
            var isOverdue = false
            // Both outputs, or the limit.
            for _ in 0..<2 where !isOverdue && !Task.isCancelled { isOverdue = await group.next() ?? false }
            // While the leader isn't reaped yet and its number can't belong to anybody else. Its end ends the readers.
            await execution.teardown(using: Self.teardown)
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
        // What cancellation does, beside the body.
        options.teardownSequence = teardown
        return options
    }

    private static var environment: [Environment.Key: String] {
        let ours = ProcessInfo.processInfo.environment
        var theirs: [Environment.Key: String] = ["PATH": ours["PATH"] ?? "/usr/bin:/bin"]
        theirs["LANG"] = ours["LANG"]
        theirs["HOME"] = ours["HOME"]
        return theirs
    }
}

/// What a program has said so far, within the bound.
private final class Said: Sendable {
    let head = Mutex<[UInt8]>([])
    let tail = Mutex<[UInt8]>([])

    func addHead(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            head.withLock { $0.append(contentsOf: bytes.prefix(BoundedProcess.textBound - $0.count)) }
        }
    }

    func addTail(_ bytes: SubprocessOutputSequence.Buffer) {
        bytes.withUnsafeBytes { bytes in
            tail.withLock { tail in
                tail.append(contentsOf: bytes.suffix(BoundedProcess.textBound))
                tail.removeFirst(max(0, tail.count - BoundedProcess.textBound))
            }
        }
    }
}
