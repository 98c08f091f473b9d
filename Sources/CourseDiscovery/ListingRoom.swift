import Foundation
import ProviderKit
import Synchronization

/// The memory for the listings of a run that aren't part of its catalog yet. A course that needs more waits until others
/// are done; of those under way, the one that began first never waits, so that each has its turn.
package final class ListingRoom: Sendable {
    /// The place of a course. What it holds is free again when nobody refers to it any more.
    package final class Seat: Sendable {
        private let room: ListingRoom
        private let number: Int
        private let bytes = Mutex(0)

        fileprivate init(_ room: ListingRoom, _ number: Int) {
            self.room = room
            self.number = number
        }

        deinit { room.leave(number, bytes.withLock { $0 }) }

        /// Waits until the course may hold so many bytes.
        func hold(_ total: Int) async throws(ProviderError) {
            while !room.grow(number, by: total - bytes.withLock { $0 }) {
                do { try await Task.sleep(for: .milliseconds(50)) } catch {
                    throw ProviderError(.cancelled, "the run is ending")
                }
            }
            bytes.withLock { $0 = total }
        }
    }

    private struct State {
        var held = 0
        var next = 0
        var seated: Set<Int> = []
    }

    private let limit: Int
    private let state = Mutex(State())
    /// Held while a listing is compared with the last one and recorded: both are in memory then.
    let desk = NSLock()

    /// - Parameter limit: bytes for all courses together; the first one may exceed it.
    package init(limit: Int = 16 << 20) { self.limit = limit }

    /// A place for a course that begins.
    package func seat() -> Seat {
        state.withLock { state in
            defer { state.next += 1 }
            state.seated.insert(state.next)
            return Seat(self, state.next)
        }
    }

    private func grow(_ number: Int, by bytes: Int) -> Bool {
        state.withLock { state in
            guard bytes <= 0 || state.held + bytes <= limit || state.seated.min() == number else { return false }
            state.held += bytes
            return true
        }
    }

    private func leave(_ number: Int, _ bytes: Int) {
        state.withLock { state in
            state.held -= bytes
            state.seated.remove(number)
        }
    }
}
