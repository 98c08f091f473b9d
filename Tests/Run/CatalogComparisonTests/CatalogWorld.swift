import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import PathLayout
import RunSchedule
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import CatalogComparison

/// Catalogs in a folder, a state in memory, and a library that is a set of paths.
final class CatalogWorld {
    let folder = TemporaryFolder()
    let store: DownloadStore
    var files: Set<String> = []
    /// Folders that can't be looked at.
    var unreadable: Set<String> = []

    /// What stands at a stem, though no row may know it.
    var standing: [String: (path: String, size: Int64)] = [:]

    init() throws { store = try DownloadStore.empty() }

    /// The plan for a catalog whose courses are these lines.
    func plan(
        _ courses: String, file: String = "catalog.yaml", only: [String] = [], now: Date = Date(),
        layout: String = "plain", lossGuard: LossGuard? = LossGuard(), retriesFailed: Bool = false,
        compared: ComparedCourses = .all, listings: [String: CourseListing] = [:],
        unsettled: [String: LibraryError] = [:], tallies: [String: LossGuard.Tally] = [:]
    ) throws -> Reconciliation {
        let path = folder.at(file).string
        let text = "version: 1\ndefaults: {provider: direct, parameters: {base: http://h}}\ncourses:\n\(courses)\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let reading = CatalogReader.read([path])
        try #require(reading.verdict == .valid, "\(reading.report)")
        var catalog = reading.catalog
        for (index, course) in catalog.courses.enumerated() {
            if let listing = listings[course.id] { catalog.replace(index, with: course.adding(listing)) }
        }
        var reconciler = try Reconciler(
            catalog: catalog, store: store, only: try only.map { try Selector($0) }, now: now,
            layout: try PathLayout(layout), lossGuard: lossGuard, retriesFailed: retriesFailed, compared: compared,
            unsettled: unsettled, tallies: tallies, library: library)
        return try reconciler.run()
    }

    private var library: LibraryView {
        LibraryView(filesAtStem: { self.standing[$0].map { [$0] } ?? [] }) { path throws(LibraryError) in
            if let folder = self.unreadable.first(where: { path.hasPrefix($0 + "/") }) {
                throw .system(.list, path: folder, .permissionDenied)
            }
            return self.files.contains(path)
        }
    }

    /// Writes the plan, and finishes everything that is wanted.
    @discardableResult
    func sync(
        _ courses: String, file: String = "catalog.yaml", only: [String] = [], layout: String = "plain",
        compared: ComparedCourses = .all, listings: [String: CourseListing] = [:]
    ) throws -> Reconciliation {
        let plan = try plan(
            courses, file: file, only: only, layout: layout, compared: compared, listings: listings)
        var changes = plan.changes
        changes.moves = try plan.recordedMoves()
        try store.catalogs.apply(changes)
        for move in changes.moves {
            files.remove(move.from)
        }
        for move in changes.moves { files.insert(move.to) }
        try store.moves.finish(changes.moves.map { ($0, $0.to) })
        for wanted in plan.wanted {
            let path = wanted.stem + ".mp4"
            let file = StoredFile(path: path, size: 9, modified: 1, sha256: [7], source: wanted.source)
            try store.write([.begin(wanted.id), .placing(wanted.id, file), .finish(wanted.id)])
            files.insert(path)
        }
        return plan
    }
}
