import Foundation
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The one thread that waits for the pipes of all children, with poll(2). It starts with the first pipe and stays.
///
/// Not with sources of Dispatch: on Linux, those that come and go on several threads at once can end this process
/// (swift-corelibs-libdispatch, issue 949).
final class PipeWatch: Sendable {
    enum Event: Sendable {
        case readable, writable
    }

    private struct Wait {
        let poll: pollfd
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Waits {
        var byNumber: [UInt64: Wait] = [:]
        var last: UInt64 = 0
    }

    private static let existing = Mutex<PipeWatch?>(nil)

    private let waits = Mutex(Waits())
    /// A byte in this pipe makes the thread look at `waits` again.
    private let wakeup: (reading: FileDescriptor, writing: FileDescriptor)

    /// - Throws: what pipe(2) or pthread_create(3) says; the next call tries again.
    static func shared() throws(Errno) -> PipeWatch {
        try existing.withLock { existing throws(Errno) in
            if let existing { return existing }
            let made = try PipeWatch()
            try made.start()
            existing = made
            return made
        }
    }

    private init() throws(Errno) {
        wakeup = try ChildPipe.ends()
        for end in [wakeup.reading, wakeup.writing] { _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK) }
    }

    /// Not Foundation's `Thread`, which doesn't tell that the system has no thread to give.
    private func start() throws(Errno) {
        let argument = Unmanaged.passRetained(self).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(&thread, nil, { PipeWatch.run($0) }, argument)
        #else
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, { PipeWatch.run($0) }, argument)
        #endif
        guard result != 0 else { return }
        Unmanaged<PipeWatch>.fromOpaque(argument).release()
        for end in [wakeup.reading, wakeup.writing] { try? end.close() }
        throw Errno(rawValue: result)
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Unmanaged<PipeWatch>.fromOpaque(argument).takeUnretainedValue().run()
    }

    /// Returns once `descriptor` is ready or its other end is closed, or the task is cancelled; rarely, without any of
    /// these. `descriptor` stays open until then.
    func wait(until event: Event, _ descriptor: FileDescriptor) async {
        let events = Int16(event == .readable ? POLLIN : POLLOUT)
        let poll = pollfd(fd: descriptor.rawValue, events: events, revents: 0)
        let number = waits.withLock { waits in
            waits.last += 1
            return waits.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waits.withLock { $0.byNumber[number] = Wait(poll: poll, continuation: continuation) }
                // The handler may have run before the wait was there.
                if Task.isCancelled { end(number) } else { wake() }
            }
        } onCancel: {
            end(number)
        }
    }

    /// Ends a wait, if it hasn't ended.
    private func end(_ number: UInt64) {
        guard let wait = waits.withLock({ $0.byNumber.removeValue(forKey: number) }) else { return }
        // poll(2) keeps a pipe open whose descriptor is closed meanwhile: the child would miss the end of its input.
        wake()
        wait.continuation.resume()
    }

    private func wake() {
        // A full pipe holds a byte already.
        _ = try? wakeup.writing.writeAll(CollectionOfOne(0))
    }

    private func run() -> Never {
        var numbers: [UInt64] = []
        var polls: [pollfd] = []
        var drained = [UInt8](repeating: 0, count: 256)
        while true {
            numbers.removeAll(keepingCapacity: true)
            polls.removeAll(keepingCapacity: true)
            polls.append(pollfd(fd: wakeup.reading.rawValue, events: Int16(POLLIN), revents: 0))
            waits.withLock { waits in
                for (number, wait) in waits.byNumber {
                    numbers.append(number)
                    polls.append(wait.poll)
                }
            }
            if poll(&polls, nfds_t(polls.count), -1) < 0, errno != EINTR {
                // Short of memory.
                usleep(10_000)
                continue
            }
            if polls[0].revents != 0 { _ = try? drained.withUnsafeMutableBytes { try wakeup.reading.read(into: $0) } }
            for (number, poll) in zip(numbers, polls.dropFirst()) where poll.revents != 0 {
                waits.withLock { $0.byNumber.removeValue(forKey: number) }?.continuation.resume()
            }
        }
    }
}
