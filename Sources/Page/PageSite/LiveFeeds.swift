import FileSystem
import Foundation
import Operations
import PageHTTP
import PageViews
import RunAccess
import SyncFacts
import Synchronization
import SystemPackage
import UserState

/// The events of running syncs for all open pages: one reader for each user, which reads a state only if its files have
/// changed, and rests as long as nobody listens.
actor LiveFeeds {
    /// Between two looks at the files.
    private static let pause = Duration.seconds(1)
    /// Up to this pause it reads for a fiftieth of the time, and then for a fifth at most.
    private static let longPause = Duration.seconds(10)
    /// A vanished client is noticed by a write only.
    private static let silence = Duration.seconds(15)

    private struct Feed {
        var listeners: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var reader: Task<Void, Never>?
        var last: [UInt8]?
    }

    private var feeds: [String: Feed] = [:]
    private var number = 0
    private let sentences = Mutex<[(key: String, user: String?, text: String)]>([])

    /// The events of a user's syncs. The first one comes at once.
    func events(at location: StateLocation, of user: String?) -> AsyncStream<[UInt8]> {
        number += 1
        let (key, own) = (user ?? "", number)
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingNewest(4))
        continuation.onTermination = { _ in Task { await self.remove(own, of: key) } }
        var feed = feeds[key] ?? Feed()
        feed.listeners[own] = continuation
        if let last = feed.last { continuation.yield(Self.event(last)) }
        if feed.reader == nil { feed.reader = Task { await self.read(location, key) } }
        feeds[key] = feed
        return stream
    }

    private func remove(_ own: Int, of key: String) {
        feeds[key]?.listeners[own] = nil
        guard feeds[key]?.listeners.isEmpty == true else { return }
        feeds[key]?.reader?.cancel()
        feeds[key] = nil
    }

    private func read(_ location: StateLocation, _ key: String) async {
        var mark: String?
        var spoken = ContinuousClock.now
        while !Task.isCancelled {
            let begun = ContinuousClock.now
            let now = Self.mark(of: location)
            if now != mark {
                if let facts = try? await LiveFacts.read(location) {
                    // Only now: a state that couldn't be read at this moment is read again at the next one.
                    mark = now
                    let bytes = NowPage.live(facts)
                    if bytes != feeds[key]?.last {
                        feeds[key]?.last = bytes
                        send(Self.event(bytes), to: key)
                        spoken = .now
                    }
                }
            }
            if ContinuousClock.now - spoken >= Self.silence {
                send(Array(": still here\n\n".utf8), to: key)
                spoken = .now
            }
            // Reading a state takes the longer the more videos it has, and the sync beside it needs the processor.
            let took = begun.duration(to: .now)
            try? await Task.sleep(for: max(Self.pause, took * 4, min(took * 50, Self.longPause)))
        }
    }

    private func send(_ event: [UInt8], to key: String) {
        for listener in feeds[key]?.listeners.values ?? [:].values { listener.yield(event) }
    }

    private static func event(_ data: [UInt8]) -> [UInt8] {
        Array("event: now\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// It changes when a file of the states does, or when a sync ends: one that was killed changes no file.
    private static func mark(of location: StateLocation) -> String {
        let places = (try? location.resolveAll()) ?? []
        return places.flatMap { place -> [String] in
            let paths = ["", "-wal"].map { place.folder.database.string + $0 } + [place.folder.lock.string]
            let facts = paths.map { path in
                FileFacts(at: path).map { "\($0.inode) \($0.size) \($0.modified)" } ?? ""
            }
            return facts + ["\((try? place.folder.lockHolder()) != nil)"]
        }.joined(separator: ",")
    }

    // MARK: sentences about forms

    /// Keeps a sentence for the next page of a user; returns its key.
    nonisolated func say(_ text: String, to user: String?) -> String {
        let key = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        sentences.withLock { sentences in
            if sentences.count > 200 { sentences.removeFirst(100) }
            sentences.append((key, user, text))
        }
        return key
    }

    nonisolated func said(_ key: String, to user: String?) -> String? {
        sentences.withLock { $0.last { $0.key == key && $0.user == user }?.text }
    }
}
