import HLSMedia
import Testing

@Suite("a plan as text")
struct PlanTextTests {
    static let url = "https://h/a/b/p.m3u8?t=1"

    @Test("a printed plan reads back as the plan", arguments: [true, false])
    func roundTrip(isRelative: Bool) throws {
        var generator = GeneratedPlaylist(seed: isRelative ? 1 : 2)
        var seen = (keys: 0, maps: 0, ranges: 0, gaps: 0)
        for round in 0..<400 {
            let text = generator.text(isRelative: isRelative)
            let plan = try StreamPlan.make(try ParsedPlaylist.media(text), url: Self.url)
            // Printed addresses are absolute, so it doesn't matter where the copy comes from.
            let printed = plan.text()
            let again = try StreamPlan.make(try ParsedPlaylist.media(printed), url: "http://other/")
            #expect(again.segments == plan.segments, "round \(round)")
            #expect(again.maps == plan.maps, "round \(round)")
            #expect(again.seconds == plan.seconds && again.gaps == plan.gaps && again.gapSeconds == plan.gapSeconds)
            #expect(again.text() == printed, "round \(round)")
            if !isRelative { #expect(again.digest == plan.digest, "round \(round)") }
            seen.keys += plan.segments.count { $0.key != nil }
            seen.maps += plan.maps.count { $0.key != nil }
            seen.ranges += plan.segments.count { $0.range != nil }
            seen.gaps += plan.gaps
        }
        #expect(min(seen.keys, seen.maps, seen.ranges, seen.gaps) > 100)
    }

    @Test("the same seed makes the same playlist")
    func seeds() {
        var one = GeneratedPlaylist(seed: 7)
        var other = GeneratedPlaylist(seed: 7)
        #expect(one.text(isRelative: true) == other.text(isRelative: true))
    }
}
