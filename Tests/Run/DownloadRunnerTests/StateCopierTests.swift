import CourseCatalog
import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import SyncFacts
import Synchronization
import SystemPackage
import TestSupport
import Testing
import UserState

@testable import DownloadRunner
@testable import MediaLibrary
@testable import RunAccess

@Suite("the copy of a shard's state")
struct StateCopierTests {
    private let temporary = TemporaryFolder()
    private let clock = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000))
    private let told = Told()

    private final class Told: Sendable {
        let isOvertaken = Atomic(false)
    }

    private func place(_ machine: String = "state") throws -> StateLocation.Place {
        let user = try UserName("alice")
        return StateLocation.Place(
            user: user, isAccountsOwn: true, userFolder: StateFolder(path: temporary.at(machine), user: user),
            shard: Shard("1/2"), givenLibrary: temporary.at("library"), standardLibrary: temporary.at("library"))
    }

    /// The value of a fact in the copy.
    private func copied(_ library: LibraryFolder) throws -> String? {
        let file = temporary.at("copied.sqlite")
        guard try library.stateCopy.read(to: file) else { return nil }
        let store = try DownloadStore(path: file.string, role: .client)
        defer { store.close() }
        return try store.facts.value("test")
    }

    @Test("it is made at the beginning, when asked for, every three minutes if something has changed, and at the end")
    func times() async throws {
        let place = try place()
        let (lock, store) = try await place.openForWriting(for: [])
        let library = try LibraryOpening.open(place, store)
        let copier = try StateCopier(place, library, hub: EventHub()) { [told] in
            told.isOvertaken.store(true, ordering: .relaxed)
        }
        try store.facts.set("test", "first")
        try await copier.start(clock)
        await pass(.zero, until: 180)
        #expect(try copied(library) == "first")
        #expect(try ShardState(place).isKnown(store, library))
        try store.facts.set("test", "soon")
        await copier.copyIfChanged()
        #expect(try copied(library) == "soon")
        try store.facts.set("test", "second")
        await pass(.seconds(179), until: 180)
        #expect(try copied(library) == "soon")
        await pass(.seconds(1), until: 360)
        #expect(try copied(library) == "second")
        // Nothing has changed: the file stays the same one.
        let before = try inode()
        await pass(.seconds(180), until: 540)
        #expect(try inode() == before)
        try store.facts.set("test", "last")
        await copier.finish()
        #expect(try copied(library) == "last")
        let isOvertaken = told.isOvertaken.load(ordering: .relaxed)
        #expect(!isOvertaken)
        withExtendedLifetime(lock) {}
    }

    @Test("a run that another machine has overtaken writes no copy, and is told")
    func isOvertaken() async throws {
        let place = try place()
        let (lock, store) = try await place.openForWriting(for: [])
        let library = try LibraryOpening.open(place, store)
        let copier = try StateCopier(place, library, hub: EventHub()) { [told] in
            told.isOvertaken.store(true, ordering: .relaxed)
        }
        try await copier.start(clock)
        let file = temporary.at("other.sqlite")
        try store.copy(to: file.string)
        let mark = try #require(try library.stateCopy.mark())
        try library.stateCopy.write(file, StateMark(state: mark.state, copy: "another", host: "other"))
        let before = try inode()
        try store.facts.set("test", "later")
        await copier.finish()
        let isOvertaken = told.isOvertaken.load(ordering: .relaxed)
        #expect(isOvertaken)
        #expect(try inode() == before)
        #expect(throws: Refusal.run(.overtaken("1-of-2", by: "other"))) {
            try ShardState(place).check(store, library)
        }
        #expect(copier.overtaken == .run(.overtaken("1-of-2", by: "other")))
        withExtendedLifetime(lock) {}
    }

    @Test("the state that made the copy or began with it counts; one that was never synced is none")
    func choice() {
        func copied(_ copy: String, _ state: String = "s") -> StateMark {
            StateMark(state: state, copy: copy, host: "")
        }
        let own = ShardState.Own(id: "s", copies: ["last", "next"])
        #expect(ShardState.choose(own: nil, copied: copied("last")) == .copy)
        #expect(ShardState.choose(own: nil, copied: nil) == .copy)
        #expect(ShardState.choose(own: own, copied: nil) == .own)
        #expect(ShardState.choose(own: own, copied: copied("last")) == .own)
        // A kill came before it was known that the copy is in its place.
        #expect(ShardState.choose(own: own, copied: copied("next")) == .own)
        #expect(ShardState.choose(own: own, copied: copied("later")) == .copy)
        #expect(ShardState.choose(own: own, copied: copied("later", "other")) == .own)
    }

    @Test("two kills in a row, behind a mark and before the next one, leave a copy that any machine takes")
    func kills() async throws {
        let place = try place()
        let (lock, store) = try await place.openForWriting(for: [])
        let library = try LibraryOpening.open(place, store)
        let shard = ShardState(place)
        try shard.write(store, library)
        let first = try #require(try store.facts.value("state_copy"))
        try shard.write(store, library)
        // The state didn't note that this one is in its place.
        try store.facts.set("state_copy", first)
        let mark = "library/.coursefetch/shards/1-of-2/state.json"
        let before = try #require(temporary.read(mark))
        try store.facts.set("test", "copied")
        try shard.write(store, library)
        // This one has no mark.
        try temporary.write(before, to: mark)
        #expect(try copied(library) == "copied")
        lock.release()
        store.close()
        for machine in ["other", "state"] {
            let (lock, store) = try await self.place(machine).openForWriting(for: [])
            #expect(try store.facts.value("test") == "copied")
            try ShardState(self.place(machine)).check(store, library)
            store.close()
            lock.release()
        }
    }

    @Test("a copy is taken although an earlier try was killed in the middle")
    func killedTaking() async throws {
        let place = try place()
        let (lock, store) = try await place.openForWriting(for: [])
        let library = try LibraryOpening.open(place, store)
        try store.facts.set("test", "copied")
        try ShardState(place).write(store, library)
        let other = try self.place("other")
        try other.folder.create()
        let draft = other.folder.path.appending("state-copy.sqlite")
        try #require(try library.stateCopy.read(to: draft))
        // As a kill leaves it: a change is in the journal only.
        let killed = try DownloadStore(path: draft.string, role: .holder)
        for number in 1...50 { try killed.facts.set("test", "never \(number)") }
        #expect(FileManager.default.fileExists(atPath: draft.string + "-wal"))
        let (otherLock, taken) = try await other.openForWriting(for: [])
        #expect(try taken.facts.value("test") == "copied")
        killed.close()
        withExtendedLifetime((lock, otherLock)) {}
    }

    /// Moves the clock, and waits until the timer sleeps until `alarm`, in seconds from the beginning.
    private func pass(_ duration: Duration, until alarm: TimeInterval) async {
        await clock.advance(by: duration)
        await clock.whenAlarms { $0 == [Date(timeIntervalSince1970: 1_800_000_000 + alarm)] }
    }

    private func inode() throws -> UInt64? {
        let path = temporary.at("library/.coursefetch/shards/1-of-2/state.sqlite").string
        return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
    }
}
