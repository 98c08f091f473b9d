import DequeModule
import Foundation
import ProviderKit
import Synchronization

/// The memory for the listings of a run that aren't part of its catalog yet. What has come is counted at once; a course
/// asks for its next page while there is room, and the one that began first always, so that each has its turn. Of one
/// provider only as many pages are on their way at a time as fit, by its largest one so far; at first a few.
package final class ListingMemoryBudget: Sendable {
    /// The place of a course. What it holds is free again when nobody refers to it any more.
    package final class Seat: Sendable {
        private let memory: ListingMemoryBudget
        private let number: Int

        fileprivate init(_ memory: ListingMemoryBudget, _ number: Int) {
            self.memory = memory
            self.number = number
        }

        deinit { memory.change { $0.leave(number) } }

        /// Waits until the course may ask for a page.
        func turn() async throws(ProviderError) {
            let isMine = await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in memory.change { $0.wait(number, waiter) } }
            } onCancel: {
                memory.change { $0.giveUp(number) }
            }
            guard isMine else { throw .runIsEnding }
        }

        /// The page has come: the course holds so many bytes now.
        func took(_ total: Int) { memory.change { $0.took(number, total) } }
    }

    fileprivate struct Place {
        let provider: String
        var bytes = 0
        var isAsking = false
        var hasGivenUp = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    fileprivate struct State {
        var held = 0
        /// All places before it are free again.
        var first = 0
        var next = 0
        var places: [Int: Place] = [:]
        /// How many pages of a provider are on their way.
        var asking: [String: Int] = [:]
        /// The bytes of a provider's largest page so far.
        var largest: [String: Int] = [:]
        /// Those who wait, first come, first served; some may be gone.
        var queues: [String: Deque<Int>] = [:]
        /// Those who have waited, to be told without the lock.
        var resumed: [(waiter: CheckedContinuation<Bool, Never>, isMine: Bool)] = []
    }

    private let limit: Int
    private let state = Mutex(State())
    /// Held while a listing is compared with the last one and recorded: both are in memory then.
    let desk = NSLock()

    /// - Parameter limit: bytes for all courses together; what was on its way when they were reached, and the first
    ///   course, may exceed them.
    package init(limit: Int = 16 << 20) { self.limit = limit }

    /// A place for a course that begins.
    package func seat(asking provider: String) -> Seat {
        Seat(
            self,
            state.withLock { state in
                defer { state.next += 1 }
                state.places[state.next] = Place(provider: provider)
                return state.next
            })
    }

    private func change(_ body: (inout State) -> Void) {
        let resumed = state.withLock { state in
            body(&state)
            state.admit(limit)
            defer { state.resumed = [] }
            return state.resumed
        }
        for (waiter, isMine) in resumed { waiter.resume(returning: isMine) }
    }
}

extension ListingMemoryBudget.State {
    /// Pages of one provider on their way, at most; and as long as none has come.
    private static let (askingBound, firstBound) = (16, 2)

    private func mayAsk(_ provider: String, _ limit: Int) -> Bool {
        let bound = largest[provider].map { min(Self.askingBound, max(1, limit / max(1, $0))) } ?? Self.firstBound
        return asking[provider, default: 0] < bound
    }

    mutating func wait(_ number: Int, _ waiter: CheckedContinuation<Bool, Never>) {
        guard let place = places[number], !place.hasGivenUp else { return resumed.append((waiter, false)) }
        places[number]?.waiter = waiter
        queues[place.provider, default: []].append(number)
    }

    mutating func giveUp(_ number: Int) {
        places[number]?.hasGivenUp = true
        if let waiter = places[number]?.waiter.take() { resumed.append((waiter, false)) }
    }

    mutating func took(_ number: Int, _ total: Int) {
        guard let place = places[number] else { return }
        held += total - place.bytes
        largest[place.provider] = max(largest[place.provider] ?? 0, total - place.bytes)
        places[number]?.bytes = total
        hasAsked(number)
    }

    mutating func leave(_ number: Int) {
        hasAsked(number)
        held -= places.removeValue(forKey: number)?.bytes ?? 0
        while first < next, places[first] == nil { first += 1 }
    }

    private mutating func hasAsked(_ number: Int) {
        guard let place = places[number], place.isAsking else { return }
        places[number]?.isAsking = false
        asking[place.provider, default: 1] -= 1
    }

    mutating func admit(_ limit: Int) {
        if let place = places[first], place.waiter != nil, mayAsk(place.provider, limit) { begin(first) }
        guard held < limit else { return }
        for provider in queues.keys {
            while mayAsk(provider, limit), let number = queues[provider]?.popFirst() {
                begin(number)
            }
            if queues[provider]?.isEmpty ?? false { queues[provider] = nil }
        }
    }

    private mutating func begin(_ number: Int) {
        guard let place = places[number], let waiter = places[number]?.waiter.take() else { return }
        places[number]?.isAsking = true
        asking[place.provider, default: 0] += 1
        resumed.append((waiter, true))
    }
}
