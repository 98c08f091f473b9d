import MediaTransfer
import Testing

@Suite struct PaceTests {
    /// Lets transfers that always want a chunk run for a while; what each got.
    private func run(
        _ share: inout BandwidthShare, wishes: [Int: Int], from start: Duration = .zero, for span: Duration
    ) -> [Int: Int] {
        let chunk = 16_384
        var got: [Int: Int] = [:]
        // A transfer that wants less than everything asks for a chunk as often as its server delivers one.
        var nextChunk = wishes.mapValues { _ in start }
        var held: Set<Int> = []
        var now = start
        while now < start + span {
            for id in share.due(at: now) {
                held.remove(id)
                let isTaken = share.take(id, chunk, at: now)
                #expect(isTaken)
                got[id, default: 0] += chunk
            }
            for (id, rate) in wishes.sorted(by: { $0.key < $1.key }) where !held.contains(id) {
                while !held.contains(id), nextChunk[id, default: .zero] <= now {
                    nextChunk[id, default: .zero] += .seconds(Double(chunk) / Double(rate))
                    if share.take(id, chunk, at: now) { got[id, default: 0] += chunk } else { held.insert(id) }
                }
            }
            now += .milliseconds(1)
        }
        return got
    }

    private let fast = 1_000_000_000

    @Test("transfers that all want more get the same, and the rate together")
    func fair() {
        var share = BandwidthShare(rate: 4_000_000)
        for id in 1...4 { share.add(id, rate: nil) }
        let got = run(&share, wishes: [1: fast, 2: fast, 3: fast, 4: fast], for: .seconds(5))
        #expect(abs(got.values.reduce(0, +) - 20_000_000) < 500_000)
        for bytes in got.values { #expect(abs(bytes - 5_000_000) < 200_000) }
    }

    @Test("bandwidth that a slow server doesn't use is available to the others")
    func leftOver() {
        var share = BandwidthShare(rate: 3_000_000)
        for id in 1...3 { share.add(id, rate: nil) }
        let got = run(&share, wishes: [1: 100_000, 2: fast, 3: fast], for: .seconds(5))
        #expect(abs(got[1, default: 0] - 500_000) < 50_000)
        #expect(abs(got[2, default: 0] - 7_250_000) < 300_000)
        #expect(abs(got[3, default: 0] - 7_250_000) < 300_000)
    }

    @Test("a transfer's own limit applies within the common one")
    func own() {
        var share = BandwidthShare(rate: 3_000_000)
        share.add(1, rate: 200_000)
        share.add(2, rate: nil)
        let got = run(&share, wishes: [1: fast, 2: fast], for: .seconds(5))
        #expect(abs(got[1, default: 0] - 1_000_000) < 50_000)
        #expect(abs(got[2, default: 0] - 14_000_000) < 500_000)
    }

    @Test("a small rate is kept although chunks are large")
    func small() {
        var share = BandwidthShare(rate: 10_000)
        for id in 1...3 { share.add(id, rate: nil) }
        let got = run(&share, wishes: [1: fast, 2: fast, 3: fast], for: .seconds(60))
        #expect(abs(got.values.reduce(0, +) - 600_000) < 40_000)
    }

    @Test("the rate changes while transfers wait")
    func change() {
        var share = BandwidthShare(rate: 1_000)
        share.add(1, rate: nil)
        _ = run(&share, wishes: [1: fast], for: .seconds(1))
        share.setRate(2_000_000, at: .seconds(1))
        let got = run(&share, wishes: [1: fast], from: .seconds(1), for: .seconds(5))
        #expect(abs(got[1, default: 0] - 10_000_000) < 300_000)
        share.setRate(nil, at: .seconds(6))
        #expect(!share.isLimiting)
        let isFree = share.due(at: .seconds(6)) == [1] || share.take(1, 1, at: .seconds(6))
        #expect(isFree)
    }

    @Test("knows when a wait ends, and forgets transfers that have ended")
    func waits() {
        var share = BandwidthShare(rate: 16_384)
        share.add(1, rate: nil)
        #expect(share.wait(at: .zero) == nil)
        while share.take(1, 16_384, at: .seconds(1)) {}
        let wait = share.wait(at: .seconds(1)) ?? .zero
        #expect(wait > .zero)
        #expect(wait <= .seconds(2))
        #expect(share.due(at: .seconds(1)).isEmpty)
        #expect(share.due(at: .seconds(1) + wait) == [1])
        share.add(2, rate: nil)
        let isTaken = share.take(2, 16_384, at: .seconds(1) + wait)
        #expect(!isTaken)
        share.remove(2)
        #expect(share.wait(at: .seconds(2)) == nil)
    }

    @Test("a stall is a period with less than the minimum, throttled time aside")
    func stall() {
        var clock = StallDetector(timeout: .seconds(30), listened: .zero, received: 0)
        let minimum = 30 * StallDetector.minimum
        let early = clock.isStalled(.seconds(29), received: minimum - 1)
        let late = clock.isStalled(.seconds(30), received: minimum - 1)
        #expect(!early)
        #expect(late)
    }

    @Test("a trickle stalls, a slow download doesn't")
    func trickle() {
        var (slow, trickling) = (
            StallDetector(timeout: .seconds(30), listened: .zero, received: 0),
            StallDetector(timeout: .seconds(30), listened: .zero, received: 0)
        )
        var (isSlowStalled, isTrickleStalled) = (false, false)
        for second in 1...120 {
            isSlowStalled = slow.isStalled(.seconds(second), received: Int64(second) * 200) || isSlowStalled
            isTrickleStalled = trickling.isStalled(.seconds(second), received: Int64(second)) || isTrickleStalled
        }
        #expect(!isSlowStalled)
        #expect(isTrickleStalled)
    }

    @Test("time in which we throttle a transfer doesn't count")
    func held() {
        var clock = StallDetector(timeout: .seconds(30), listened: .zero, received: 0)
        clock.hold(.seconds(10))
        let held = clock.isStalled(.seconds(1000), received: 0)
        clock.release(.seconds(1000))
        let released = clock.isStalled(.seconds(1019), received: 0)
        let stalled = clock.isStalled(.seconds(1020), received: 0)
        #expect(!held)
        #expect(!released)
        #expect(stalled)
    }

    @Test("a host at its limit delays nobody else")
    func admission() throws {
        let (a, b) = (try #require(Origin(url: "http://a/")), try #require(Origin(url: "http://b/")))
        var admission = Admission(perHost: 2, total: 3)
        var entered: [Bool] = []
        for (id, origin) in [(1, a), (2, a), (3, a), (4, b), (5, b), (6, a)] {
            entered.append(admission.enter(id, origin))
        }
        #expect(entered == [true, true, false, true, false, false])
        #expect(admission.leave(4) == [5])
        #expect(admission.leave(3) == [])
        #expect(admission.leave(1) == [6])
        #expect(admission.leave(2) == [])
        #expect(admission.leave(99) == [])
    }
}
