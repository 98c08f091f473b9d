import DownloadStore
import Testing

@testable import RunSchedule

@Suite("Keeping space free")
struct FreeSpaceGuardTests {
    private let rule = FreeSpaceGuard(floor: 100)

    private func need(_ id: Int64, _ size: Int64?, written: Int64 = 0) -> FreeSpaceGuard.Need {
        FreeSpaceGuard.Need(id: DownloadID(rawValue: id), size: size, written: written)
    }

    @Test("a download begins if it fits above the floor, together with the needs of the others")
    func begins() {
        #expect(rule.hasSpace(for: need(1, 50), beside: 0, free: 150))
        #expect(!rule.hasSpace(for: need(1, 51), beside: 0, free: 150))
        #expect(rule.hasSpace(for: need(1, 51, written: 1), beside: 0, free: 150), "what it has needs no room")
        #expect(!rule.hasSpace(for: need(1, 10), beside: ByteCount(need(2, 1000, written: 955).bytes), free: 150))
        #expect(rule.hasSpace(for: need(1, 5), beside: ByteCount(need(2, 1000, written: 955).bytes), free: 150))
    }

    @Test("one of unknown size begins as long as the floor isn't reached")
    func unknown() {
        #expect(rule.hasSpace(for: need(1, nil), beside: 0, free: 100))
        #expect(!rule.hasSpace(for: need(1, nil), beside: 0, free: 99))
        #expect(!rule.hasSpace(for: need(1, nil), beside: ByteCount(need(2, 51).bytes), free: 150))
    }

    @Test("impossible sizes leave no room, however many they are")
    func lies() {
        let lies = (2..<6).map { need($0, .max) }
        #expect(!rule.hasSpace(for: need(1, 1), beside: lies.byteCount(\.bytes), free: .max))
        #expect(rule.verdict(lies, free: 200) == .suspend(lies.map(\.id)))
    }

    @Test("without a floor it still checks whether the download will fit")
    func noFloor() {
        #expect(FreeSpaceGuard(floor: 0).hasSpace(for: need(1, 100), beside: 0, free: 100))
        #expect(!FreeSpaceGuard(floor: 0).hasSpace(for: need(1, 101), beside: 0, free: 100))
    }

    @Test("when space is short the least important ones end, unless a smaller one still fits")
    func tight() {
        let needs = [need(1, 30), need(2, 40), need(3, 10)]
        #expect(rule.verdict(needs, free: 180) == .goOn)
        #expect(rule.verdict(needs, free: 179) == .suspend([DownloadID(rawValue: 3)]))
        #expect(rule.verdict(needs, free: 140) == .suspend([DownloadID(rawValue: 2)]))
        #expect(rule.verdict(needs, free: 100) == .suspend((1...3).map { DownloadID(rawValue: $0) }))
    }

    @Test("below the floor all end, however little they need")
    func floor() {
        #expect(rule.verdict([need(1, nil)], free: 100) == .goOn)
        #expect(rule.verdict([need(1, nil)], free: 99) == .stop)
        #expect(rule.verdict([], free: 99) == .stop)
    }
}
