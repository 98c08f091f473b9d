import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("The number of transfers that a link takes")
struct AutomaticJobsTests {
    /// A simulated link: the sum of `transfers` at a time, in megabytes a second, at a time in seconds.
    struct Link: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sum: @Sendable (_ transfers: Double, _ time: Double) -> Double
    }

    static let links = [
        Link(testDescription: "one transfer fills it") { _, _ in 100 },
        Link(testDescription: "two fill it") { min($0 * 25, 50) * ($1 < 0 ? 0 : 1) },
        Link(testDescription: "2 MB/s a connection, eight at a host") { min($0, 8) * 2 * ($1 < 0 ? 0 : 1) },
        Link(testDescription: "2 MB/s a connection") { min($0 * 2, 100) * ($1 < 0 ? 0 : 1) },
        Link(testDescription: "12 MB/s a connection") { min($0 * 12, 100) * ($1 < 0 ? 0 : 1) },
        Link(testDescription: "its capacity halves, and comes back") {
            min($0 * 60, $1.truncatingRemainder(dividingBy: 240) < 120 ? 100 : 50)
        },
        Link(testDescription: "its connections become slower, and faster") {
            min(100, $0 * ($1.truncatingRemainder(dividingBy: 240) < 120 ? 25 : 6))
        },
    ]

    /// Ten minutes: the share of what the best number brings, the average number, and changes a minute.
    private func night(_ link: Link, seed: UInt64) -> (share: Double, number: Double, changes: Double) {
        var dice = Noise(seed: seed)
        var jobs = AutomaticJobs(from: 3)
        var (transfers, noise, received) = (0.0, 0.0, 0.0)
        var (sum, best, numbers, changes) = (0.0, 0.0, 0.0, 0)
        let ticks = 1200
        for tick in 0..<ticks {
            let time = Double(tick) / 2
            // New connections take two seconds to their full rate.
            transfers =
                Double(jobs.count) > transfers
                ? transfers + (Double(jobs.count) - transfers) * 0.37 : Double(jobs.count)
            if tick.isMultiple(of: 2) { noise = 0.6 * noise + 0.8 * 0.15 * dice.normal() }
            let rate = link.sum(transfers, time) * exp(noise)
            received += rate * 0.5e6
            sum += rate
            best += (2...16).map { link.sum(Double($0), time) }.reduce(0, max) * exp(noise)
            numbers += Double(jobs.count)
            if jobs.note(
                received: Int64(received), active: jobs.count, isLimited: false, at: Date(timeIntervalSince1970: time))
                != nil
            {
                changes += 1
            }
        }
        return (sum / best, numbers / Double(ticks), Double(changes) / 10)
    }

    struct Noise {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        private mutating func share() -> Double {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return (Double((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53
        }

        mutating func normal() -> Double { (-2 * log(share())).squareRoot() * cos(2 * .pi * share()) }
    }

    @Test("at least 0.9 of the best possible, and at most four changes a minute", arguments: links)
    func share(_ link: Link) {
        let nights = (0..<30).map { night(link, seed: $0) }
        func average(_ value: ((share: Double, number: Double, changes: Double)) -> Double) -> Double {
            nights.map(value).reduce(0, +) / Double(nights.count)
        }
        let (share, changes) = (average(\.share), average(\.changes))
        print("\(link.testDescription): share \(share), number \(average(\.number)), changes a minute \(changes)")
        #expect(share >= 0.9, "\(share)")
        #expect(changes <= 4, "\(changes)")
    }

    @Test("a link that one transfer fills gets few; one that is throttled by connection gets many, within seconds")
    func numbers() {
        var (one, many) = (AutomaticJobs(from: 3), AutomaticJobs(from: 3))
        for tick in 0..<20 {
            let now = Date(timeIntervalSince1970: Double(tick) / 2)
            _ = one.note(received: Int64(tick) * 5_000_000, active: one.count, isLimited: false, at: now)
        }
        var received: Int64 = 0
        for tick in 0..<20 {
            received += Int64(many.count) * 1_000_000
            _ = many.note(
                received: received, active: many.count, isLimited: false,
                at: Date(timeIntervalSince1970: Double(tick) / 2))
        }
        #expect(one.count == 3 && many.count == 16)
    }

    @Test("seconds in which something else is the limit count for nothing, and end a try")
    func bound() {
        var jobs = AutomaticJobs(from: 3)
        for tick in 0..<100 {
            #expect(
                jobs.note(
                    received: Int64(tick) * 9, active: 0, isLimited: false,
                    at: Date(timeIntervalSince1970: Double(tick)))
                    == nil)
        }
        #expect(jobs.count == 3)
        var tick = 100.0
        while jobs.count != 4 {
            _ = jobs.note(
                received: Int64(tick * 1e6), active: jobs.count, isLimited: false, at: Date(timeIntervalSince1970: tick)
            )
            tick += 0.5
            guard tick < 300 else { break }
        }
        #expect(jobs.note(received: 0, active: 0, isLimited: false, at: Date(timeIntervalSince1970: tick)) == 3)
    }

    @Test("a run gets more slots while that makes it faster, and none of its turns ends when it gets fewer")
    func run() {
        var stage = Stage((1...40).map { Stage.download($0) }, jobs: 3, findsJobs: true)
        stage.tell(.begin)
        var received: Int64 = 0
        func claimAll() {
            for id in stage.schedule.phases.running.sorted()
            where stage.schedule.phases[turn: id]?.isResolving == true {
                stage.tell(.resolved(id, []))
                stage.tell(.claim(id, host: "h\(id.rawValue)"))
            }
        }
        var most = 3
        #expect(stage.schedule.findsJobs && stage.schedule.limits.jobs == most)
        for _ in 0..<40 where stage.schedule.limits.jobs >= most {
            claimAll()
            received += Int64(min(stage.schedule.phases.slots, 6)) * 500_000
            stage.now += 0.5
            stage.tell(.received(received, isLimited: false))
            most = max(most, stage.schedule.limits.jobs)
        }
        #expect(most == 12 && stage.schedule.limits.jobs == 6 && stage.schedule.phases.slots == 12)
        #expect(stage.tell(.command(1, .jobs(4, hostCap: 8))).count { $0.hasPrefix("cancel") } == 8)
        #expect(!stage.schedule.findsJobs)
    }
}
