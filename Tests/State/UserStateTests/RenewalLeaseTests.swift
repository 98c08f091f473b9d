import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import UserState

@Suite("leases of renewals")
struct RenewalLeaseTests {
    private let temporary = TemporaryFolder()
    private let leases: RenewalLeases

    init() throws {
        let folder = StateFolder(path: temporary.at("alice"), user: try UserName("alice"))
        try folder.create()
        leases = RenewalLeases(folder: folder)
    }

    private var names: [String] { temporary.names().filter { $0.contains("renewals/") }.sorted() }

    @Test("one has it at a time, others see who, and that it lives; each provider has its own")
    func holders() throws {
        #expect(try leases.sign(of: "p") == nil)
        let lease = try #require(try leases.take("p"))
        #expect(try leases.take("p") == nil)
        let other = try #require(try leases.take("q"))
        let sign = try #require(try leases.sign(of: "p"))
        #expect(sign.holder?.process == Int64(ProcessInfo.processInfo.processIdentifier))
        #expect(sign.holder?.host.isEmpty == false)
        lease.beat()
        #expect(try leases.sign(of: "p") != sign)
        lease.giveBack()
        lease.giveBack()
        lease.beat()
        #expect(try leases.sign(of: "p") == nil)
        #expect(try leases.take("p") != nil, "and given back with the last reference")
        #expect(try leases.sign(of: "p") == nil)
        other.giveBack()
        #expect(names == [])
    }

    @Test("of many that want it at once one gets it, whether it is free or its holder is gone")
    func race() throws {
        var dead: [RenewalLease] = []
        for round in 0..<40 {
            let sign = try leases.sign(of: "p")
            #expect((sign != nil) == (round > 0))
            let taken = Mutex<[RenewalLease]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                if let sign { try? leases.takeAway("p", sign) }
                guard let lease = try? leases.take("p") else { return }
                taken.withLock { $0.append(lease) }
            }
            #expect(taken.withLock { $0.count } == 1, "round \(round)")
            dead += taken.withLock { $0 }
        }
        // Those who only stood still do no harm when they go on.
        let sign = try leases.sign(of: "p")
        for lease in dead.dropLast() {
            lease.beat()
            lease.giveBack()
        }
        #expect(try leases.sign(of: "p") == sign)
        dead.last?.giveBack()
        #expect(try leases.sign(of: "p") == nil)
    }

    @Test("a lease that was taken since isn't hit by one who comes late to break the one before")
    func lateBreaker() throws {
        let first = try #require(try leases.take("p"))
        let sign = try #require(try leases.sign(of: "p"))
        try leases.takeAway("p", sign)
        let second = try #require(try leases.take("p"))
        let present = try leases.sign(of: "p")
        // It has compared the signs already, and renames now.
        let gone = try #require(names.first { $0.hasSuffix(".gone") })
        #expect(rename(temporary.at("alice/renewals/p").string, temporary.at(gone).string) != 0)
        try leases.takeAway("p", sign)
        #expect(try leases.sign(of: "p") == present)
        withExtendedLifetime((first, second)) {}
    }

    @Test("a holder is gone when its sign has stood still for the bound, as its watcher has seen it")
    func watch() throws {
        let lease = try #require(try leases.take("p"))
        var watch = LeaseWatch(bound: .seconds(10))
        let start = SuspendingClock.now
        var sign = try #require(try leases.sign(of: "p"))
        var answers: [Bool] = []
        for second in 0..<10 { answers.append(watch.isGone(sign, at: start + .seconds(second))) }
        lease.beat()
        sign = try #require(try leases.sign(of: "p"))
        for second in 10...20 { answers.append(watch.isGone(sign, at: start + .seconds(second))) }
        #expect(answers == Array(repeating: false, count: 20) + [true])
        // One that has stood still itself hasn't seen anything.
        var asleep = LeaseWatch(bound: .seconds(10))
        answers = [0, 3600, 7200].map { asleep.isGone(sign, at: start + .seconds($0)) }
        #expect(answers == [false, false, false])
    }

    @Test("what killed processes have left is removed after a day, and not before")
    func leftovers() throws {
        try temporary.write("{}", to: "alice/renewals/p.a1.new/holder")
        try temporary.write("{}", to: "alice/renewals/q.b2.gone/holder")
        try temporary.write("{}", to: "alice/renewals/q.c3.gone/holder")
        for name in ["p.a1.new", "q.b2.gone"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90_000)],
                ofItemAtPath: temporary.at("alice/renewals/\(name)/holder").string)
        }
        try leases.take("p")?.giveBack()
        #expect(names.filter { $0.hasSuffix("holder") } == ["alice/renewals/q.c3.gone/holder"])
    }

    @Test("where no folder can be made it is an error")
    func unusable() throws {
        try temporary.write("", to: "alice/renewals")
        #expect(throws: StateError.self) { try leases.take("p") }
        let gone = RenewalLeases(folder: StateFolder(path: temporary.at("bob"), user: try UserName("bob")))
        #expect(throws: StateError.self) { try gone.take("p") }
    }
}
