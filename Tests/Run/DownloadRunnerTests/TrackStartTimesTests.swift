import HLSMedia
import Testing

@testable import DownloadJobs

@Suite("start times of a stream's tracks")
struct TrackStartTimesTests {
    struct Case: Sendable {
        var what: String
        /// In seconds on the stream's clock; nil where it can't be told.
        var begins: [Double?]
        var delays: [Double]
        var origin: Double?
    }

    @Test(
        "small differences between tracks are kept; the file begins with the first track",
        arguments: [
            Case(what: "one", begins: [10], delays: [0], origin: 10),
            Case(what: "together", begins: [10, 10], delays: [0, 0], origin: 10),
            Case(what: "sound later", begins: [10, 10.25], delays: [0, 0.25], origin: 10),
            Case(what: "picture later", begins: [10.5, 10], delays: [0.5, 0], origin: 10),
            Case(what: "clocks of their own", begins: [36_000, 0], delays: [0, 0], origin: 36_000),
            Case(
                what: "around the end of the clock", begins: [95_443.5, 0], delays: [0, 0.2177777], origin: 95_443.5),
            Case(what: "sound unknown", begins: [10, nil], delays: [0, 0], origin: 10),
            Case(what: "picture unknown", begins: [nil, 10], delays: [0, 0], origin: nil),
            Case(what: "nothing known", begins: [nil, nil], delays: [0, 0], origin: nil),
        ])
    func delays(_ test: Case) {
        let begins = TrackStartTimes(test.begins.map { $0.map { MediaTime(transport: UInt64($0 * 90_000)) } })
        for (track, delay) in test.delays.enumerated() {
            #expect(abs(begins.delay(of: track) - delay) < 0.001, "\(test.what): \(begins.delay(of: track))")
        }
        #expect(begins.delay(of: test.delays.count) == 0)
        #expect(begins.origin == test.origin.map { UInt64($0 * 90_000) }, "\(test.what)")
    }

    @Test("times count from where the stream begins on each track's clock")
    func starts() {
        let times = [100.25, 3].compactMap { MediaTime(UInt64($0 * 1000), timescale: 1000) }
        let begins = TrackStartTimes(times, from: [100, 3])
        #expect(abs(begins.delay(of: 0) - 0.25) < 0.001 && begins.delay(of: 1) == 0)
        #expect(begins.origin == 270_000)
    }
}
