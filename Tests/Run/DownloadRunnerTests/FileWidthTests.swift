import MediaTransfer
import SyncFacts
import Testing

@testable import DownloadJobs

@Suite("how many connections a file should have")
struct FileWidthTests {
    /// A download over a link: its speed with one connection, and with any number.
    private struct Link {
        var each: Double
        var most: Double
        var granted = 15
        private(set) var width: FileWidth
        private(set) var others = 0
        private(set) var received = 0.0
        private(set) var now = ContinuousClock.now
        let total: Double

        init(_ count: ConnectionCount = .automatic, each: Double, most: Double, total: Double = 500e6) {
            (self.each, self.most, self.total) = (each, most, total)
            width = FileWidth(count, at: now)
        }

        /// The connections at each look, four times a second, until it is all there.
        mutating func run(seconds: Double = 600) -> [Int] {
            var counts: [Int] = []
            while received < total, Double(counts.count) < seconds * 4 {
                let wanted = width.wanted(
                    others: others, received: Int64(received), remaining: Int64(total - received), at: now)
                others = min(wanted, granted)
                counts.append(others + 1)
                received += min(most, each * Double(others + 1)) / 4
                now += .milliseconds(250)
            }
            return counts
        }

        mutating func fail(_ failure: TransferFailure, left: Int) { width.failed(failure, others: left, at: now) }
    }

    @Test("where each connection has its limit it gets all that there are, after a second")
    func limited() {
        var link = Link(each: 2e6, most: 1e9)
        let counts = link.run()
        #expect(Set(counts.prefix(4)) == [1])
        #expect(Set(counts.dropFirst(6)) == [16])
        // 16 times as fast, but for the first second.
        let seconds = counts.count / 4
        #expect(seconds < 18)
    }

    @Test("where one fills the link it stays with one, and looks again ever more rarely")
    func filled() {
        var link = Link(each: 10e6, most: 10e6, total: 3000e6)
        let counts = link.run()
        let wide = counts.count { $0 > 1 }
        #expect(wide > 0)
        #expect(wide * 10 < counts.count)
        #expect(counts.last == 1)
    }

    @Test("what takes only seconds more has one")
    func short() {
        var fast = Link(each: 300e6, most: 1e9, total: 1000e6)
        #expect(Set(fast.run()) == [1])
        var small = Link(each: 2e6, most: 1e9, total: 8e6)
        #expect(Set(small.run()) == [1])
    }

    @Test("as long as no slot is free nothing is concluded")
    func waiting() {
        var link = Link(each: 2e6, most: 1e9)
        link.granted = 0
        #expect(Set(link.run(seconds: 30)) == [1])
        link.granted = 3
        #expect(link.run().last == 4)
    }

    @Test("a server that takes no more keeps those that it has; one without ranges gets one")
    func failures() {
        var link = Link(each: 2e6, most: 1e9)
        _ = link.run(seconds: 3)
        link.fail(.status(503, retryAfter: nil), left: 2)
        #expect(Set(link.run(seconds: 10)) == [3])
        link.fail(.network(.broken), left: 1)
        #expect(link.run(seconds: 15).last == 3, "one more after ten seconds")
        link.fail(.refused(status: 403, .status), left: 2)
        #expect(!link.width.isInVain, "with another address they may be of use")
        link.fail(.rangeIgnored, left: 2)
        #expect(Set(link.run()) == [1])
        #expect(link.width.isInVain)
    }

    @Test("a given number is that number")
    func fixed() {
        var link = Link(.fixed(4), each: 10e6, most: 10e6)
        #expect(Set(link.run()) == [4])
        #expect(!FileWidth(.fixed(1), at: .now).mayGrow)
    }
}
