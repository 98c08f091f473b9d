import DownloadStore
import Foundation
import Testing

@Suite("Reading damaged rows")
struct StoredRowTests {
    @Test("an unknown word for a state is waiting, wherever it is read")
    func state() {
        #expect(DownloadState(stored: "wating") == .waiting)
        #expect(DownloadState(stored: nil) == .waiting)
        #expect(DownloadState(stored: "paused") == .paused)
    }

    @Test("an impossible instant counts as none", arguments: [-1, 1e300, Double.nan, Double.infinity])
    func date(_ seconds: Double) { #expect(Date(stored: seconds) == nil) }
}
