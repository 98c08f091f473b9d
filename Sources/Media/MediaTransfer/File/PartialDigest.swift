import Crypto
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The SHA-256 of a partial, computed during its transfer by ``DigestThread`` from the page cache.
final class PartialDigest: Sendable {
    private struct State {
        var hasher = SHA256()
        /// The hashed bytes, and the limit for hashing.
        var hashed: Int64 = 0
        var announced: Int64 = 0
        /// Held only while there are bytes to read.
        var source: OwnedDescriptor?
        var isQueued = false
        var failure: FileError?
        /// Counts the resets, so that work on earlier bytes is discarded.
        var generation = 0
        var waiters: [CheckedContinuation<Result<[UInt8], FileError>, Never>] = []
    }

    /// The bytes hashed before another partial gets its turn.
    private static let turn: Int64 = 8 << 20

    private let state = Mutex(State())

    /// Announces that the first `length` bytes of the file exist. Cheap; called now and then by the transfer.
    func announce(_ length: Int64, in source: OwnedDescriptor) {
        let isNew = state.withLock { state in
            guard length > state.announced, state.failure == nil else { return false }
            state.announced = length
            state.source = source
            defer { state.isQueued = true }
            return !state.isQueued
        }
        if isNew { DigestThread.shared.add(self) }
    }

    /// The digest of the first `length` bytes, which have to be all of them.
    func value(upTo length: Int64, in source: OwnedDescriptor?) async throws(FileError) -> [UInt8] {
        if let source { announce(length, in: source) }
        return try await withCheckedContinuation { continuation in
            let answer: Result<[UInt8], FileError>? = state.withLock { state in
                if let failure = state.failure { return .failure(failure) }
                if state.hashed >= length { return .success(Self.finish(state.hasher)) }
                // Closed before this length was announced: it will never be read.
                guard state.announced >= length else { return .failure(.closed) }
                state.waiters.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }.get()
    }

    /// Forgets every byte. Waiters are left with ``FileError/closed``: there are none between transfers.
    func reset() {
        let waiters = state.withLock { state in
            let generation = state.generation + 1
            defer { state = State(isQueued: state.isQueued, generation: generation) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: .failure(.closed)) }
    }

    /// Hashes the next turn's bytes on the digest thread; false when it has caught up.
    func work(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        let job = state.withLock { state in
            (state.hasher, state.hashed, min(state.announced, state.hashed + Self.turn), state.source, state.generation)
        }
        var (hasher, position, end, source, generation) = job
        var failure: FileError?
        if let source {
            while position < end, failure == nil {
                let wanted = min(buffer.count, Int(end - position))
                let count = pread(source.raw, buffer.baseAddress, wanted, off_t(position))
                if count > 0 {
                    hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    position += Int64(count)
                } else if count == 0 {
                    failure = .shorter(than: end, size: position)
                } else if errno != EINTR {
                    failure = .system(operation: "pread", errno: errno)
                }
            }
        }
        return settle(hasher, at: position, failure: failure, generation: generation)
    }

    private func settle(_ hasher: SHA256, at position: Int64, failure: FileError?, generation: Int) -> Bool {
        let (isUnfinished, answer, waiters) = state.withLock { state in
            if state.generation == generation {
                state.hasher = hasher
                state.hashed = position
                state.failure = failure
            }
            guard state.failure != nil || state.hashed >= state.announced else {
                return (true, Result<[UInt8], FileError>.failure(.closed), state.waiters.prefix(0).map(\.self))
            }
            let answer = state.failure.map { .failure($0) } ?? Result.success(Self.finish(state.hasher))
            defer {
                state.waiters = []
                state.source = nil
                state.isQueued = false
            }
            return (false, answer, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: answer) }
        return isUnfinished
    }

    private static func finish(_ hasher: SHA256) -> [UInt8] { Array(hasher.finalize()) }
}
