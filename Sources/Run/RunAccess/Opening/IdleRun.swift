package import CourseCatalog
import Crypto
package import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
import MediaTransfer
package import ProviderHost
package import SyncFacts
import SystemPackage
import TextFormats
import UserState

/// A run that may be like the last one with the same catalogs and options, which found nothing to do: compares what
/// that depended on, and notes it for the next run. Whatever can't be read counts as different.
///
/// Only for runs that ask no provider for listings and no host for catalogs, and depend on no clock.
package struct IdleRun: Sendable {
    /// The folders whose names are compared at most.
    private static let mostFolders = 20_000
    /// A file that changed so shortly before it was read may change again without another time: local clocks of files
    /// tick at least a hundred times a second, those of other machines may be wrong.
    private static let (tick, tickElsewhere): (Int64, Int64) = (50_000_000, 5_000_000_000)

    private let options: SyncOptions
    private let place: StateLocation.Place
    /// The SHA-256 of the program, the options that matter, and the plugins.
    private let subject: Data

    /// Nil for a run that always looks at everything.
    package init?(_ options: SyncOptions, _ registry: PluginRegistry) {
        guard options.shard == nil, options.only.isEmpty, options.watchEvery == nil, options.discovers,
            options.catalogs.allSatisfy({ if case .file = CatalogAddress($0) { true } else { false } }),
            let place = try? StateLocation(options).resolve(), let program = FileStamp(at: Self.program)
        else { return nil }
        var list = LengthPrefixed(.littleEndian)
        list.add([Version.text, program.description, options.textWithoutWork])
        for folder in registry.searched { list.add(folder.string) }
        for plugin in registry.plugins.values.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            let manifest = FileManager.default.contents(atPath: plugin.folder.appending("plugin.yaml").string)
            let executable = plugin.launch.executable.string
            list.add([plugin.name, plugin.folder.string, executable, FileStamp(at: executable)?.description ?? ""])
            list.add(manifest ?? Data())
        }
        list.add("\(registry.broken.count)")
        for plugin in registry.broken { list.add([plugin.name, plugin.folder.string, plugin.reason]) }
        for (name, folder) in registry.hidden { list.add([name, folder.string]) }
        subject = Data(SHA256.hash(data: list.bytes))
        self.options = options
        self.place = place
    }

    private static var program: String { Bundle.main.executablePath ?? "" }

    // MARK: the next run

    /// The note of the last run, if its catalogs are the same now. Locks and writes nothing; ``holds(_:_:_:)`` follows.
    package func recalled() -> IdleNote? {
        guard let store = (try? place.openAsIs()) ?? nil else { return nil }
        defer { store.close() }
        guard let note = note(in: store), note.catalogs.digest() == note.catalogsDigest else { return nil }
        return note
    }

    /// Whether a recalled note still holds. Under the locks of the state and of the library.
    package func holds(_ note: IdleNote, _ store: DownloadStore, _ library: LibraryFolder) -> Bool {
        guard let current = self.note(in: store), current.libraryDigest == note.libraryDigest,
            current.catalogsDigest == note.catalogsDigest, current.downloads == note.downloads
        else { return false }
        return digest(of: library, note.folders) == note.libraryDigest
    }

    private func note(in store: DownloadStore) -> IdleNote? {
        ((try? store.idle.note(about: subject)) ?? nil).flatMap { IdleNote($0) }
    }

    // MARK: this run

    /// What a pass begins with, before it compares anything.
    package struct Begun: Sendable {
        fileprivate var folders: [String]
        fileprivate var libraryDigest: [UInt8]
    }

    /// Begins to note a run whose pass begins; nil if its catalogs are of those that it must always look at.
    package func begin(_ catalog: Catalog, in store: DownloadStore, of library: LibraryFolder) -> Begun? {
        guard Self.mayBeNoted(catalog), (try? store.idle.begin(about: subject)) != nil else { return nil }
        return begun(catalog, in: store, of: library)
    }

    /// Notes a run that found nothing to do, if no row and no file has changed since it began. An error costs the note
    /// only.
    package func end(
        _ begun: Begun, _ catalog: Catalog, _ summary: SyncSummary, in store: DownloadStore, of library: LibraryFolder
    ) {
        let isOver = summary.downloads.keys.allSatisfy { [.finished, .cancelled, .paused].contains($0) }
        guard isOver, summary.conditions.isEmpty, summary.errors.isEmpty, summary.stopReason == nil,
            summary.warnings == 0, summary.sidecarsWanted == 0, summary.sidecarsFailed == 0,
            (try? store.idle.isSettled()) == true, catalog.files.allSatisfy(Self.isAsRead),
            let trace = CatalogTrace(of: catalog), let digest = trace.digest(),
            catalog.files.allSatisfy(Self.isAsRead), let now = self.begun(catalog, in: store, of: library),
            now.folders == begun.folders, now.libraryDigest == begun.libraryDigest
        else { return }
        let note = IdleNote(
            catalogs: trace, digest: digest, folders: begun.folders, libraryDigest: begun.libraryDigest,
            downloads: summary.downloads, fromOtherSource: summary.fromOtherSource)
        guard let data = note.data else { return }
        try? store.idle.end(data, about: subject)
    }

    private func begun(_ catalog: Catalog, in store: DownloadStore, of library: LibraryFolder) -> Begun? {
        guard let folders = try? store.idle.folders(of: catalog.courses.map(\.id)), folders.count <= Self.mostFolders,
            let digest = digest(of: library, folders)
        else { return nil }
        return Begun(folders: folders, libraryDigest: digest)
    }

    /// Whether a catalog's bytes are all that the comparison has of it. A cover in a file is read by each run.
    private static func mayBeNoted(_ catalog: Catalog) -> Bool {
        let isLocal = { (cover: CoverSource?) in if case .file? = cover { true } else { false } }
        return catalog.courseSources.isEmpty
            && catalog.courses.allSatisfy { course in
                !course.discover && !isLocal(course.cover) && !course.videos.contains { isLocal($0.cover) }
                    && course.chapters.allSatisfy { chapter in
                        !isLocal(chapter.cover) && !chapter.videos.contains { isLocal($0.cover) }
                    }
            }
    }

    /// Whether a file is certainly the one that was read.
    private static func isAsRead(_ file: CatalogFile) -> Bool {
        guard let stamp = file.stamp, FileStamp(at: file.path) == stamp else { return false }
        let isLocal = FileSystemKind.of(FilePath(file.path)) == .local
        return stamp.changed < stamp.readAt - (isLocal ? tick : tickElsewhere)
    }

    /// The SHA-256 of the names in these folders, and of what a killed run may have left; nil if one can't be read.
    private func digest(of library: LibraryFolder, _ folders: [String]) -> [UInt8]? {
        guard UnflushedRecord.bytes(at: place.folder.unflushed.string).isEmpty,
            let partials = try? library.partials.all().keys.map(\.fileName).sorted()
        else { return nil }
        var hash = SHA256()
        var list = LengthPrefixed(.littleEndian)
        list.add([library.id.rawValue, library.root.string])
        list.add(partials)
        for folder in folders {
            guard let names = try? library.folders.listing(of: folder) else { return nil }
            list.add(folder)
            list.add(Int64(names.count))
            names.forEachSorted { list.add($0) }
            hash.update(data: list.take())
        }
        return Array(hash.finalize())
    }
}
