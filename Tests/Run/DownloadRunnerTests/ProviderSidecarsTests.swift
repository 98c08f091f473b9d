import DownloadStore
import Foundation
import SyncFacts
import Testing

@testable import DownloadJobs

@Suite("Sidecars named by a provider")
struct ProviderSidecarsTests {
    private static let id = DownloadID(rawValue: 1)
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func sidecar(_ name: String) -> WantedSidecar {
        WantedSidecar(
            owner: .video(Self.id, .subtitle, name: name), source: .url("http://h/\(name)"), folder: "C",
            name: "V.\(name)")
    }

    private func name(_ name: String) -> SidecarName { SidecarName(.subtitle, name) }

    private func file(_ name: String) -> SidecarRecord {
        SidecarRecord(download: Self.id, kind: .subtitle, name: name, path: "C/V.\(name).vtt", size: 1, modified: 2)
    }

    private func open(
        _ name: String, _ state: MissingSidecar.State, retryAt: Date? = nil, failedRuns: Int = 0
    ) -> MissingSidecar {
        MissingSidecar(
            download: Self.id, name: self.name(name), state: state, retryAt: retryAt, failedRuns: failedRuns)
    }

    private func named(
        _ names: [String], catalogs: [String] = [], files: [String] = [], open: [MissingSidecar] = [],
        lost: [String] = []
    ) -> (wantedSidecars: [String], old: [String?], ProviderSidecars) {
        let named = ProviderSidecars(
            names.map(sidecar), of: Self.id, catalogs: catalogs.map(sidecar), files: files.map(file), open: open,
            at: now,
            isLost: { lost.contains($0.name) })
        return (named.wantedSidecars.compactMap(\.rowName?.name), named.wantedSidecars.map(\.old?.path), named)
    }

    @Test("sidecars of a new video are wanted; a video without any costs no write")
    func new() {
        #expect(named([]).2.changes == [])
        let found = named(["en", "de"])
        #expect(found.wantedSidecars == ["en", "de"])
        #expect(found.2.changes == [.named(Self.id, [name("en"), name("de")])])
    }

    @Test("a stored sidecar is neither fetched nor written; one missing on the disk is")
    func there() {
        let found = named(["en", "de"], files: ["en", "de"], lost: ["de"])
        #expect(found.wantedSidecars == ["de"])
        #expect(found.2.changes == [.lost(file("de"))])
    }

    @Test("a waiting or failed sidecar is fetched when it is due, and keeps its count of failures")
    func due() {
        let found = named(
            ["a", "b", "c", "d"],
            open: [
                open("a", .wanted), open("b", .wanted, retryAt: now + 1),
                open("c", .failed, retryAt: now - 1, failedRuns: 2), open("d", .failed),
            ])
        #expect(found.wantedSidecars == ["a", "c"])
        #expect(found.2.failedRuns == [name("a"): 0, name("c"): 2])
        #expect(found.2.changes == [])
    }

    @Test("a sidecar to be replaced replaces its file; one no longer named is forgotten, unless the catalog names it")
    func others() {
        let found = named(
            ["en"], catalogs: ["own"], files: ["en"],
            open: [open("en", .wanted), open("own", .wanted), open("x", .failed)])
        #expect(found.wantedSidecars == ["en"] && found.old == ["C/V.en.vtt"])
        #expect(found.2.changes == [.named(Self.id, [name("en"), name("own")])])
    }
}
