import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MigrationSources
import RunAccess
import SyncFacts
import SystemPackage
import UserState

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a migration reads before it looks at a row: the source, the map and the catalogs.
struct MigrationInput: Sendable {
    let options: MigrationOptions
    let place: StateLocation.Place
    /// The library's path; it may not be there yet.
    let library: FilePath
    let source: OpenSource
    let map: NameMap?
    /// The path of a catalog that this run has written.
    private var newCatalog: String?
    /// The records of the source, if they have been read.
    private var records: [SourceRecord]?

    init(_ options: MigrationOptions, _ place: StateLocation.Place) throws(MigrationProblem) {
        (self.options, self.place) = (options, place)
        library = try Self.library(of: place)
        map = try options.map.map { path throws(MigrationProblem) in try Self.map(path) }
        source = try OpenSource(options, library: library, state: place.folder.path)
    }

    private static func library(of place: StateLocation.Place) throws(MigrationProblem) -> FilePath {
        let store = try MigrationProblem.wrapping { () throws(Refusal) in try place.openForReading() }
        defer { store?.close() }
        do throws(StoreError) { return try place.library(in: store).path } catch { throw .refused(Refusal(error)) }
    }

    private static func map(_ path: String) throws(MigrationProblem) -> NameMap {
        do throws(SourceProblem) {
            let data = try SourceFolder(path).givenFile(upTo: NameMap.longest)
            return try NameMap(data: data, path: path)
        } catch { throw .map(error) }
    }

    /// The records of the source, which is read now unless it has been for a new catalog.
    func readRecords() throws -> [SourceRecord] { try records ?? source.records() }

    // MARK: catalogs

    /// Reads the catalogs, with a new one for what is in none if that is wanted; nil with their
    /// mistakes in the summary.
    mutating func readCatalogs(_ summary: inout MigrationSummary) async throws(MigrationProblem) -> Catalog? {
        var sync = options.sync
        var scratch: TemporaryFile?
        defer { scratch?.remove() }
        if let given = options.writeCatalog {
            let path = URL(filePath: given).path(percentEncoded: false)
            if FileManager.default.fileExists(atPath: path) {
                if !sync.catalogs.contains(path) { sync.catalogs.append(path) }
            } else {
                guard let made = try await makeCatalog(&summary) else { return nil }
                if made.count > 0 {
                    summary.writtenCatalog = (given, made.count)
                    if options.isDryRun { scratch = TemporaryFile() }
                    let file = scratch?.path ?? path
                    try MigrationProblem.wrapping { () throws(Refusal) in try made.write(to: file) }
                    if scratch == nil { newCatalog = path }
                    sync.catalogs.append(file)
                }
            }
        }
        guard let catalog = await Self.catalog(sync, &summary) else {
            removeNewCatalog(&summary)
            return nil
        }
        return catalog
    }

    /// Removes the catalog that this run has written, if there is one.
    func removeNewCatalog(_ summary: inout MigrationSummary) {
        guard let newCatalog else { return }
        unlink(newCatalog)
        summary.writtenCatalog = nil
    }

    /// The catalogs of a sync; nil with their mistakes in the summary.
    private static func catalog(_ sync: SyncOptions, _ summary: inout MigrationSummary) async -> Catalog? {
        let (catalog, check) = await CatalogCheck.read(CatalogSources(sync), registry: nil)
        guard check.conditions.isEmpty else {
            summary.conditions = check.conditions
            summary.mistakes = check.diagnostics.errors
            return nil
        }
        return catalog
    }

    /// A catalog of the records that are in none; nil with the mistakes of the others in the summary.
    private mutating func makeCatalog(
        _ summary: inout MigrationSummary
    ) async throws(MigrationProblem) -> NewCatalog? {
        var index: CatalogIndex?
        var taken = try coursesOfState()
        if !options.sync.catalogs.isEmpty {
            guard let catalog = await Self.catalog(options.sync, &summary) else { return nil }
            index = CatalogIndex(catalog)
            taken.formUnion(catalog.courses.map(\.id))
        }
        let records: [SourceRecord]
        do { records = try source.records() } catch { throw MigrationProblem(any: error) }
        self.records = records
        var made = NewCatalog(source.kind, endpoint: options.endpoint, taken: taken)
        for record in records {
            guard record.fault == nil, map?.target(of: record) == nil, (index?.find(record) ?? .nothing) == .nothing
            else { continue }
            if case .held = record.state { continue }
            made.add(record, in: source)
        }
        return made
    }

    /// The ids of all courses that the state has.
    private func coursesOfState() throws(MigrationProblem) -> Set<String> {
        let store = try MigrationProblem.wrapping { () throws(Refusal) in try place.openForReading() }
        defer { store?.close() }
        do throws(StoreError) { return Set(try store?.catalogs.courses().keys.map { $0 } ?? []) } catch {
            throw .refused(Refusal(error))
        }
    }
}
