import DownloadStore
import Foundation
import MediaLibrary
import Testing

@testable import DownloadRunner

@Suite("The line of sidecars")
struct SidecarLineTests {
    private let id = DownloadID(rawValue: 7)

    private func wish(_ kind: SidecarRecord.Kind, _ name: String) -> SidecarWish {
        SidecarWish(
            owner: .video(id, kind, name: name), source: .url("http://h/\(name)"), folder: "", name: name,
            purpose: .attachment)
    }

    @Test("the catalog's sidecars are stored when all of them are, whatever the provider's do")
    func groups() {
        var line = SidecarLine([])
        line.add([wish(.cover, ""), wish(.attachment, "a")], of: id, digest: [1])
        #expect(line.settled(.video(id, .subtitle, name: "en"), isStored: true) == nil)
        #expect(line.settled(.video(id, .cover, name: ""), isStored: true) == nil)
        #expect(line.settled(.video(id, .attachment, name: "a"), isStored: true)?.1 == [1])
    }

    @Test("one that failed leaves the digest unrecorded, so that the next run tries again")
    func failed() {
        var line = SidecarLine([])
        line.add([wish(.cover, "")], of: id, digest: [1])
        #expect(line.settled(.video(id, .cover, name: ""), isStored: false) == nil)
    }

    @Test("few at a time, and none where there is no room")
    func room() {
        var line = SidecarLine((0..<10).map { wish(.attachment, "\($0)") })
        #expect(line.next(room: { _ in false }) == nil)
        var taken = 0
        while line.next(room: { _ in true }) != nil { taken += 1 }
        #expect(taken == SidecarLine.limit)
        line.fetchEnded()
        #expect(line.next(room: { _ in true }) != nil)
        line.stop()
        for _ in 0..<SidecarLine.limit { line.fetchEnded() }
        #expect(line.isIdle)
    }
}
