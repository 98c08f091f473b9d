import Foundation
import MediaTransfer
import TestServers
import Testing

@testable import HLSMedia

@Suite("the segments of a live playlist")
struct RecordedTrackTests {
    /// A playlist of segments with these numbers, of 2 s each.
    private func list(
        _ numbers: ClosedRange<Int>, named name: String = "s", token: String = "", map: String? = nil,
        end: Bool = false, gap: Int? = nil
    ) throws -> StreamPlan {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
        if let map { text += "#EXT-X-MAP:URI=\"\(map)\"\n" }
        for number in numbers {
            text += number == gap ? "#EXT-X-GAP\n" : ""
            text += "#EXTINF:2,\n\(name)\(number).ts\(token)\n"
        }
        if end { text += "#EXT-X-ENDLIST\n" }
        return try StreamPlan.make(
            try ParsedPlaylist.media(text), url: "https://h/live/index.m3u8", allowsLive: true)
    }

    private func sequences(_ track: RecordedTrack) -> [Int64?] {
        track.plan.segments.map { $0.isGap ? nil : $0.sequence }
    }

    /// A list beside the partial.
    private func file(_ bytes: [UInt8], in folder: TestFolder) throws -> PartialFile {
        try folder.write("list", bytes)
        return try PartialFile(
            descriptor: open(folder.path("list"), O_RDWR), length: Int64(bytes.count), hashes: false)
    }

    /// The track after a kill, with the first `count` of its segments.
    private func resumed(_ track: RecordedTrack, _ count: Int) throws -> RecordedTrack {
        let folder = try TestFolder()
        let recorded = try RecordedSegment.read(count, from: try file(track.list(from: 0), in: folder))
        #expect(recorded.count == count)
        return RecordedTrack(recorded)
    }

    @Test("each playlist adds what is new, and no segment twice")
    func grows() throws {
        var track = RecordedTrack()
        #expect(track.take(try list(5...7), next: 0).added == 3)
        #expect(track.take(try list(5...7), next: 3).added == 0)
        #expect(track.take(try list(6...9), next: 3).added == 2)
        // A cache that is behind.
        #expect(track.take(try list(4...8), next: 5) == RecordedTrack.News())
        #expect(sequences(track) == [5, 6, 7, 8, 9])
        #expect(track.plan.seconds == 10 && track.plan.gaps == 0 && track.plan.isLive)
        #expect(track.take(try list(8...10, end: true), next: 5).added == 1)
        #expect(!track.plan.isLive)
    }

    @Test("what no playlist names any more is a gap, whether it was named before or not")
    func gaps() throws {
        var track = RecordedTrack()
        _ = track.take(try list(0...3), next: 0)
        // 0 and 1 are joined, 2 has arrived before its turn, 3 hasn't.
        let news = track.take(try list(6...7), next: 2, held: [2])
        #expect(news.missed == 3 && news.added == 2 && !news.isRenumbered)
        #expect(sequences(track) == [0, 1, 2, nil, nil, 6, 7])
        #expect(track.plan.gapSeconds == 6 && track.plan.seconds == 16)
        #expect(track.plan.segments[5].startsDiscontinuity)
        let whole = track.ended(before: 6)
        #expect(whole.segments.count == 6 && whole.seconds == 14 && whole.gapSeconds == 6 && !whole.isLive)
    }

    @Test("waiting segments get the addresses of the newest playlist, joined ones lose theirs")
    func addresses() throws {
        var track = RecordedTrack()
        _ = track.take(try list(0...2, token: "?t=1"), next: 0)
        track.forgetAddresses(before: 1)
        _ = track.take(try list(0...3, token: "?t=2"), next: 1)
        let addresses = ["1", "2", "3"].map { "https://h/live/s\($0).ts?t=2" }
        #expect(track.plan.segments.map(\.url) == [""] + addresses)
    }

    @Test("numbers that begin anew begin another part, unless the playlist is only old")
    func renumbered() throws {
        var track = RecordedTrack()
        _ = track.take(try list(1_000...1_004), next: 0)
        #expect(track.take(try list(990...1_001), next: 5) == RecordedTrack.News())
        var other = track
        let news = track.take(try list(0...2), next: 5)
        #expect(news.isRenumbered && news.added == 3 && news.missed == 0)
        #expect(sequences(track) == [1_000, 1_001, 1_002, 1_003, 1_004, 0, 1, 2])
        #expect(track.plan.segments[5].startsDiscontinuity)
        #expect(track.take(try list(1...3), next: 8).added == 1)
        // Numbers made of the time.
        #expect(other.take(try list(1_800_000_000...1_800_000_001), next: 5).isRenumbered)
    }

    @Test("the bytes of a joined segment decide where names and numbers don't")
    func doubts() throws {
        var track = RecordedTrack()
        _ = track.take(try list(3...8), next: 0)
        #expect(track.doubt(try list(4...9), next: 6) == nil, "it continues")
        #expect(track.doubt(try list(0...5), next: 6)?.index == 2, "it ends earlier")
        #expect(track.doubt(try list(0...5), next: 2)?.index == 1, "only what is joined can be compared")
        #expect(track.doubt(try list(0...2), next: 6) == nil, "they have nothing in common")
        let renamed = try list(6...9, named: "x")
        #expect(track.doubt(renamed, next: 6)?.segment.sequence == 8)
        var other = track
        #expect(other.take(renamed, next: 6, isAnew: true).added == 4)
        #expect(other.plan.segments.count == 10)
        track.prove(renamed, next: 6)
        #expect(track.take(renamed, next: 6).added == 1)
        #expect(track.doubt(try list(7...9, named: "y"), next: 7) == nil, "names vary")
        let again = try resumed(track, 7)
        #expect(again.doubt(try list(8...12), next: 7)?.index == 6, "after a kill")
    }

    @Test("of a list with other numbers only what can have been live since is appended")
    func realTime() throws {
        var track = RecordedTrack()
        _ = track.take(try list(100...109), next: 0)
        let whole = try list(0...8, named: "x", end: true)
        #expect(track.isForeign(whole, idle: 10) && !track.isForeign(whole, idle: 12))
        #expect(!track.isForeign(try list(0...8, named: "x"), idle: 0), "it is live")
        #expect(!track.isForeign(try list(105...120, end: true), idle: 0), "it continues")
        var other = track
        #expect(track.take(try list(0...8, named: "x"), next: 10, idle: 4).added == 5)
        #expect(sequences(track).suffix(6) == [109, 4, 5, 6, 7, 8])
        #expect(track.take(try list(1...9, named: "x"), next: 15, idle: 2).added == 1)
        #expect(other.take(try list(0...0, named: "x"), next: 10, idle: 0).added == 1)
    }

    @Test("only a list that has ended, with no less than was recorded, replaces a recording that lacks something")
    func replaced() throws {
        var track = RecordedTrack()
        _ = track.take(try list(3...6), next: 0)
        #expect(!track.isReplaced(by: try list(3...9, end: true)), "nothing is missing")
        #expect(track.isReplaced(by: try list(0...9, end: true)), "it has the beginning")
        #expect(!track.isReplaced(by: try list(0...9)), "it is live")
        #expect(!track.isReplaced(by: try list(0...2, end: true), isAnew: true), "it is shorter")
        #expect(!track.isReplaced(by: try list(900...909, end: true), isAnew: true), "another lecture")
        #expect(!track.isReplaced(by: try list(0...9, end: true), isAnew: true), "other bytes")
        var refused = track
        refused.skip(2)
        #expect(!refused.isReplaced(by: try list(3...9, end: true)), "its host doesn't give that segment")
        _ = track.take(try list(8...9), next: 4)
        #expect(track.isReplaced(by: try list(3...9, end: true)), "it has what was missed")
    }

    @Test("after a kill it continues behind what is joined, with the same initialization section")
    func continues() throws {
        var track = RecordedTrack()
        _ = track.take(try list(10...14, map: "init.mp4", gap: 11), next: 0)
        var again = try resumed(track, 4)
        #expect(again.plan.seconds == 8 && again.plan.gaps == 1 && again.plan.maps.isEmpty)
        #expect(again.take(try list(12...16, map: "init.mp4?t=2"), next: 4).added == 3)
        #expect(sequences(again) == [10, nil, 12, 13, 14, 15, 16])
        #expect(again.plan.segments[3].map == 0 && again.plan.segments[4].map == 0)
        var changed = try resumed(track, 4)
        _ = changed.take(try list(14...15, map: "other.mp4"), next: 4)
        #expect(changed.plan.segments[3].map == nil && changed.plan.segments[4].map == 0)
        var missing = try resumed(track, 4)
        #expect(missing.secondsMissing(before: try list(20...21)) == 12)
        #expect(missing.take(try list(20...21), next: 4).missed == 6)
        var late = try resumed(missing, 6)
        #expect(late.take(try list(20...22), next: 6).added == 2)
        #expect(late.isReplaced(by: try list(10...30, end: true)), "the gap is remembered")
    }

    @Test("a list beside the partial that is cut or impossible is read as far as it is right")
    func invalid() throws {
        var track = RecordedTrack()
        _ = track.take(try list(0...3), next: 0)
        let good = track.list(from: 0)
        #expect(good.count == 160 && RecordedSegment.listLength(4) == 160)
        var impossible = good
        impossible[40 + 8] = 0xFF
        let folder = try TestFolder()
        #expect(try RecordedSegment.read(4, from: file(Array(good.dropLast()), in: folder)).count == 3)
        #expect(try RecordedSegment.read(4, from: file(impossible, in: folder)).count == 1)
    }
}
