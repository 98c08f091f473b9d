import DownloadStore
package import FileSystem
import Foundation
import ProviderKit
package import SyncFacts
import SystemPackage
import UserState

/// The way to the process that holds a user's lock: a row in the state, which it sees within a quarter of a second.
package enum ControlChannel {
    /// The result of a request.
    package enum Reply: Sendable {
        /// No process holds the lock: the caller has it now and makes the change itself.
        case free(FileLock)
        case answered(ControlAnswer)
        /// The request was accepted and will be carried out; the caller needn't wait any longer. Nil as below.
        case working(LockHolder?)
        /// No answer in time, and nothing was changed. Nil if the lock doesn't identify its holder.
        case silent(LockHolder?)
    }

    /// Sends the request, and waits for the answer or for the lock, whichever comes first.
    package static func ask(
        _ request: ControlRequest, of place: StateLocation.Place, timeout: Duration = .seconds(2)
    ) async throws(Refusal) -> Reply {
        do {
            var holder: LockHolder?
            switch try await place.folder.acquireLock(catalogs: [], grace: .milliseconds(50)) {
            case .acquired(let lock): return .free(lock)
            case .held(let other): holder = other
            }
            let store = try DownloadStore(path: place.folder.database.string, role: .client)
            defer { store.close() }
            let body = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
            let id = try store.requests.add(body)
            var deadline = ContinuousClock.now + timeout
            var isTaken = false
            while ContinuousClock.now < deadline, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(25))
                if let answer = try store.requests.answer(to: id) {
                    if try decoded(answer) != .working { break }
                    // An accepted request may take longer: files to delete, a file that is being placed.
                    if !isTaken { deadline = deadline + .seconds(8) }
                    isTaken = true
                }
                if case .acquired(let lock) = try await place.folder.acquireLock(catalogs: [], grace: .zero) {
                    // The holder has ended in the meantime, with or without an answer.
                    guard let answer = try store.requests.withdraw(id), try decoded(answer) != .working else {
                        return .free(lock)
                    }
                    return .answered(try decoded(answer))
                }
            }
            if isTaken, try store.requests.answer(to: id).map(decoded) == .working { return .working(holder) }
            guard let answer = try store.requests.withdraw(id).map(decoded) else { return .silent(holder) }
            // Accepted between the last check and now.
            return answer == .working ? .working(holder) : .answered(answer)
        } catch {
            throw Refusal(any: error)
        }
    }

    private static func decoded(_ text: String) throws -> ControlAnswer {
        try JSONReader.decode(ControlAnswer.self, from: text.utf8)
    }
}
