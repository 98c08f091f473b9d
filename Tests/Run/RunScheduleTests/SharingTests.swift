import DownloadStore
import FileSystem
import Foundation
import Testing

@testable import RunSchedule

@Suite("Downloads that may have the same bytes")
struct SharingTests {
    /// A run in which 1 is in place, and the others, which followed it, are being compared with its file.
    private func compared(_ count: Int64, tag: String? = "1") -> Stage {
        var stage = Stage(
            (1...count).map { Stage.download($0) }, following: (2...count).map { ($0, 1) }, jobs: Int(count))
        stage.begin()
        #expect(finish(1, tag: tag, &stage).filter { $0.hasSuffix("compared") }.count == Int(count) - 1)
        return stage
    }

    private func finish(_ id: Int64, tag: String?, _ stage: inout Stage) -> [String] {
        stage.tell(.claim(.number(id), host: "h"))
        stage.tell(.turnEnded(.number(id), .complete))
        stage.tell(.hashed(.number(id), .right))
        let file = StoredFile(
            path: "\(id).mp4", size: 100, modified: 1, sha256: [UInt8(id)], source: [],
            proof: tag.map { .etag($0) })
        let request = RequestDigest([UInt8(id)])
        return stage.tell(.placed(.number(id), file, request: request, isWhole: true))
    }

    /// It ends its comparison with the file of another one.
    private func differs(
        _ id: Int64, from donor: Int64 = 1, donorTag: String? = "1", _ stage: inout Stage,
        change: (inout SeenFile) -> Void = { _ in }
    ) -> [String] {
        let file = StoredFile(
            path: "\(donor).mp4", size: 100, modified: 1, sha256: [UInt8(donor)], source: [],
            proof: donorTag.map { .etag($0) })
        var seen = SeenFile(request: RequestDigest([UInt8(id)]))
        change(&seen)
        let donor = Donor(file: file, video: "v", request: RequestDigest([UInt8(donor)]))
        return stage.tell(.turnEnded(.number(id), .differs(donor, seen))).filter { $0.hasPrefix("start") }
    }

    private func answer(_ tag: String?, size: Int64 = 100, middle: UInt8? = nil) -> (inout SeenFile) -> Void {
        {
            $0.isAsked = true
            $0.size = size
            $0.response = .init(etag: tag, middle: middle.map { Checksum([$0]) })
        }
    }

    @Test("those that saw other tags, or other bytes at equal tags, are transferred beside each other")
    func different() {
        var stage = compared(6)
        #expect(differs(2, &stage, change: answer("2")) == ["start 2"])
        #expect(differs(3, &stage, change: answer("3")) == ["start 3"])
        #expect(differs(4, &stage, change: answer("2", size: 99)) == ["start 4"])
        #expect(differs(5, &stage, change: answer("1", middle: 5)) == ["start 5"])
        #expect(differs(6, &stage, change: answer("1", middle: 6)) == ["start 6"])
        #expect(stage.schedule.phases.turns.count == 5)
    }

    @Test("those that saw the same follow the first of them, and are compared with its file")
    func same() {
        var stage = compared(5)
        #expect(differs(2, &stage, change: answer("2", middle: 2)) == ["start 2"])
        #expect(differs(3, &stage, change: answer("2", middle: 2)) == [])
        #expect(stage.phase(3) == .following && stage.schedule.leader(of: .number(3)) == .number(2))
        let request = RequestDigest([2])
        #expect(differs(4, &stage) { $0.request = request } == [], "the same request")
        let next = finish(2, tag: "2", &stage).filter { $0.hasPrefix("start") }
        #expect(next == ["start 3 compared", "start 4 compared"])
        #expect(differs(5, &stage, change: answer("2", middle: 2)) == ["start 5 compared"], "it is in place by now")
    }

    @Test("a size is a reason to wait and compare only if nothing more is known of them")
    func sizes() {
        var stage = compared(5)
        #expect(differs(2, &stage) { $0.size = 7 } == ["start 2"])
        #expect(differs(3, &stage) { $0.size = 7 } == [])
        #expect(differs(4, &stage) { $0.size = 8 } == ["start 4"])
        #expect(differs(5, &stage, change: answer(nil, size: 7)) == ["start 5"])
    }

    @Test("a file that contradicts what was seen is refused without a turn, and the next one leads")
    func contradiction() {
        var stage = compared(4)
        for id in [2, 3, 4] as [Int64] { _ = differs(id, &stage, change: answer("2", middle: 2)) }
        #expect(finish(2, tag: "other", &stage).filter { $0.hasPrefix("start") } == ["start 3"])
        #expect(stage.schedule.leader(of: .number(4)) == .number(3))
        #expect(finish(3, tag: "2", &stage).filter { $0.hasPrefix("start") } == ["start 4 compared"])
    }

    @Test("without tags, with an unanswered comparison, or with expected checksums of their own nobody waits")
    func incomparable() {
        var stage = compared(3, tag: nil)
        for id in [2, 3] as [Int64] { #expect(differs(id, donorTag: nil, &stage) == ["start \(id)"]) }
        stage = compared(3)
        for id in [2, 3] as [Int64] { #expect(differs(id, &stage) { $0.isAsked = true } == ["start \(id)"]) }
        stage = compared(4)
        for id in [2, 3] as [Int64] {
            #expect(differs(id, &stage) { $0.sha256 = [UInt8(id)] } == ["start \(id)"])
        }
        #expect(differs(4, &stage) { $0.sha256 = [3] } == [])
    }

    @Test("with a file of an earlier run that has no proof they wait once for the first of them")
    func earlierFile() {
        var downloads = [1, 2, 3].map { Stage.download($0) }
        for index in downloads.indices { downloads[index].donor = Donor(file: Stage.file, video: "v") }
        var stage = Stage(downloads, jobs: 3)
        #expect(stage.begin() == ["start 1 compared", "start 2 compared", "start 3 compared"])
        for id in [1, 2, 3] as [Int64] {
            let donor = Donor(file: Stage.file, video: "v")
            let seen = SeenFile(request: RequestDigest([UInt8(id)]))
            stage.tell(.turnEnded(.number(id), .differs(donor, seen)))
        }
        #expect(stage.phase(2) == .following && stage.phase(3) == .following)
        let next = finish(1, tag: nil, &stage).filter { $0.hasPrefix("start") }
        #expect(next == ["start 2", "start 3"], "it has no proof either")
    }

    @Test("no download is compared more than three times, whatever its server says")
    func limit() {
        var stage = compared(6)
        for id in [2, 3, 4, 5, 6] as [Int64] { _ = differs(id, &stage) { $0.size = 100 } }
        var compared = [Int64: Int]()
        for leader in [2, 3, 4, 5, 6] as [Int64] {
            for id in leader...6 where id != leader {
                guard stage.schedule.phases[.number(id)] == .following else { continue }
                compared[id, default: 1] += 1
            }
            _ = finish(leader, tag: "\(leader)", &stage)
            for id in leader...6 where id != leader && (compared[id] ?? 0) > 0 {
                guard stage.schedule.phases[turn: .number(id)] != nil, (compared[id] ?? 0) <= 3 else { continue }
                _ = differs(id, from: leader, donorTag: "\(leader)", &stage) { $0.size = 100 }
            }
        }
        #expect(compared.values.max() == 3, "\(compared)")
    }

    @Test("if the first of them fails the next one leads, and a paused one is left out")
    func failure() {
        var stage = compared(5)
        for id in [2, 3, 4, 5] as [Int64] { _ = differs(id, &stage, change: answer("2", middle: 2)) }
        #expect(stage.tell(.command(1, .steer(.pause, [.number(3)]))) == ["apply 1 to [3]"])
        let row = Schedule.SteeredRow(
            id: .number(3), before: .waiting, after: .paused, priority: 0, retryAt: nil, wanted: nil)
        stage.tell(.applied(1, [row]))
        #expect(stage.tell(.turnEnded(.number(2), .failed(Stage.error, isFinal: true))).contains("start 4"))
        #expect(stage.schedule.leader(of: .number(5)) == .number(4))
        #expect(finish(4, tag: "2", &stage).contains("start 5 compared"))
    }
}
