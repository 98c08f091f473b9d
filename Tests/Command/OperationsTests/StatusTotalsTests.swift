import DownloadStore
import Foundation
import Operations
import SyncFacts
import Testing

@Suite("Sums over downloads")
struct StatusTotalsTests {
    private func row(
        _ state: DownloadState, _ bytes: Int64 = 0, of size: Int64? = nil, rate: Int64? = nil, gone: Bool = false
    ) -> StatusRow {
        StatusRow(
            reference: VideoReference(course: "c", chapter: nil, video: "v", title: "T"), courseTitle: "C",
            chapterTitle: nil, state: state, bytes: bytes, size: size, bytesPerSecond: rate, updatedAt: Date(),
            provider: "p", file: "f", gone: gone)
    }

    @Test("bytes count wanted downloads, the time left only those that come by themselves")
    func sums() {
        let totals = StatusTotals([
            row(.finished, 100, of: 100), row(.active, 20, of: 100, rate: 10), row(.active, 0, of: 50, rate: 5),
            row(.waiting, 0, of: 20), row(.paused, 10, of: 100), row(.failed, 0, of: 100), row(.cancelled, 7, of: 100),
        ])
        #expect(totals.count == 7 && totals.finished == 1)
        #expect(totals.doneBytes == 130 && totals.knownBytes == 470 && totals.unknownSizes == 0)
        #expect(totals.bytesPerSecond == 15)
        #expect(totals.secondsLeft == 10, "80 + 50 + 20 at 15 a second")
    }

    @Test("an unknown size counts as the mean of the known ones; without any there is no time")
    func unknown() {
        let some = StatusTotals([row(.active, 0, of: 100, rate: 10), row(.waiting), row(.waiting, gone: true)])
        #expect(some.unknownSizes == 2 && some.secondsLeft == 20)
        let none = StatusTotals([row(.active, 30, rate: 10), row(.waiting)])
        #expect(none.bytesPerSecond == 10 && none.secondsLeft == nil && none.knownBytes == 0)
    }

    @Test("sums of impossible sizes and rates stop at the largest number")
    func lies() {
        let rows = (0..<1_025).map { _ in row(.active, 0, of: ByteCount.largestFile, rate: .max) }
        let totals = StatusTotals(rows)
        #expect(totals.knownBytes.value == .max && totals.bytesPerSecond == .max)
        #expect(totals.secondsLeft?.isFinite == true)
    }

    @Test("without progress there is neither speed nor time left")
    func still() {
        let totals = StatusTotals([row(.waiting, 0, of: 100), row(.active, 0, of: 10, rate: 0)])
        #expect(totals.secondsLeft == nil && !totals.isComplete)
        #expect(StatusTotals([row(.finished, 5, of: 5), row(.cancelled, 0, of: 9)]).isComplete)
    }
}
