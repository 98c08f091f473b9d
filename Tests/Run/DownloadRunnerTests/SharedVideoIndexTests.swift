import DownloadStore
import FileSystem
import RunSchedule
import Testing

@testable import DownloadJobs

@Suite("What shards have in common")
struct SharedVideoIndexTests {
    private let keys = (0..<4).map { SharedSameness.sha256([UInt8($0)]) }

    private func donor(_ path: String) -> Donor {
        Donor(file: StoredFile(path: path, size: 1, modified: nil, sha256: nil, source: []), video: "v")
    }

    @Test("the lists are read from the beginning once for all that is expected by then, and only for what is new")
    func unread() {
        var index = SharedVideoIndex()
        index.expect([keys[0]])
        index.expect([keys[1], keys[2]])
        let all = index.unread(of: [keys[0]])
        #expect(all == Set(keys[..<3]), "one reading for several arrivals")
        // It comes while they are read.
        index.expect([keys[3]])
        index.haveRead(all)
        #expect(index.unread(of: [keys[1], keys[2]]).isEmpty)
        #expect(index.unread(of: [keys[3]]) == [keys[3]])
        index.haveRead([keys[3]])
        index.expect(Set(keys))
        #expect(index.unread(of: keys).isEmpty, "what is expected again was read")
    }

    @Test("the last line about a video counts, and what is expected again keeps its file")
    func donors() {
        var index = SharedVideoIndex()
        index.expect([keys[0], keys[1]])
        index.note([keys[0]: donor("a")])
        index.note([keys[0]: donor("b")])
        index.expect([keys[0]])
        #expect(index.donors[keys[0]] == donor("b"))
        #expect(index.donors[keys[1]] == .some(.none))
        #expect(index.donors[keys[2]] == nil)
    }
}
