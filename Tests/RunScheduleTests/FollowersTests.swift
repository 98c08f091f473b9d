import DownloadStore
import Testing

@testable import RunSchedule

@Suite("Several that want the same bytes")
struct FollowersTests {
    private let ids = (1...4).map { DownloadID(rawValue: Int64($0)) }

    @Test("all are released when the leader's file is there")
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

    @Test("one that has a time to wait for leads only if all have")
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
}
