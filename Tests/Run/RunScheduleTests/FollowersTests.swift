import DownloadStore
import FileSystem
import Testing

@testable import RunSchedule

@Suite("Several downloads of the same bytes")
struct FollowersTests {
    private let ids = (1...4).map { DownloadID(rawValue: Int64($0)) }

    @Test("all are released when the leader's file is in place")
    func finished() {
        var followers = Followers()
        for id in ids[1...] { followers.add(id, to: ids[0]) }
        #expect(followers.finished(ids[0]) == Array(ids[1...]))
        #expect(!followers.isFollower(ids[1]))
        #expect(followers.finished(ids[0]) == [])
    }

    @Test("the next one leads when the leader fails, and the rest follow it")
    func failed() {
        var followers = Followers()
        for id in ids[1...] { followers.add(id, to: ids[0]) }
        #expect(followers.failed(ids[0]) == ids[1])
        #expect(!followers.isFollower(ids[1]))
        #expect(followers.finished(ids[1]) == Array(ids[2...]))
        #expect(followers.failed(ids[1]) == nil)
    }

    @Test("one with a time to wait for leads only if all have one")
    func times() {
        var followers = Followers()
        for id in ids[1...] { followers.add(id, to: ids[0]) }
        #expect(followers.failed(ids[0]) { $0 == ids[1] } == ids[2])
        #expect(followers.failed(ids[2]) { _ in true } == ids[1])
        #expect(followers.leader(of: ids[3]) == ids[1])
    }

    @Test("a leader that yields follows the next one, with the others")
    func yields() {
        var followers = Followers()
        for id in ids[1...] { followers.add(id, to: ids[0]) }
        followers.yield(ids[0], to: ids[2])
        #expect(Array(followers.all) == [ids[2]])
        #expect(followers.of(ids[2]) == [ids[1], ids[3], ids[0]])
        #expect(followers.leader(of: ids[0]) == ids[2] && followers.leader(of: ids[1]) == ids[2])
        #expect(!followers.isFollower(ids[2]))
    }

    @Test(
        "a leader whose provider fails permanently is linked to the file of the next one, if it is proven to be the same"
    )
    func failedLeader() {
        func download(_ id: Int64, sha256: Checksum?) -> ScheduledDownload {
            ScheduledDownload(
                id: .init(rawValue: id), priority: 0, ordinal: id, provider: "p\(id)",
                bytes: WantedBytes(video: "v", source: [], size: nil, sha256: sha256, ignoresCourse: false))
        }
        for isProven in [true, false] {
            let sha256 = isProven ? Stage.file.sha256 : nil
            var stage = Stage([download(1, sha256: sha256), download(2, sha256: sha256)], following: [(2, 1)])
            stage.tell(.begin)
            #expect(stage.tell(.turnEnded(ids[0], .failed(Stage.error, isFinal: true))).contains("start 2"))
            stage.tell(.turnEnded(ids[1], .complete))
            stage.tell(.hashed(ids[1], .right))
            let placed = stage.tell(.placed(ids[1], Stage.file, request: nil, isWhole: true))
            guard isProven else {
                #expect(placed.last == "end")
                #expect(stage.schedule.tally.failed == 1)
                continue
            }
            #expect(
                Array(placed.suffix(4)) == ["record revive 1", "emit waiting 1", "record begin 1", "start 1 proven"])
            #expect(stage.schedule.tally.failed == 0 && stage.schedule.tally.failures.isEmpty)
        }
    }
}
