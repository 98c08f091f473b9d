import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// A host with the videos of a catalog, and beside them another downloader's folder with some of their bytes.
struct MigrationStage {
    /// A record of `migrate --json`.
    struct Record: Decodable, Equatable {
        var record: String
        var result: String
        var course: String?
        var video: String?
        var path: String?
        var bytes: Int?
        var queued: Bool?
        var earlier: Bool?
        var reason: String?
        var message: String?
    }

    /// How a migration ended.
    struct Report {
        var exit: Int32
        var records: [Record]
        var outcome: Outcome

        /// `record result`, with the reason if there is one.
        var results: [String] {
            records.map { [$0.record, $0.result, $0.reason].compactMap(\.self).joined(separator: " ") }
        }
    }

    static let size = 300_000
    let host: FaultHost
    let stage: Stage

    /// - Parameter videos: the ids of the catalog's videos, which are numbers.
    init(_ videos: ClosedRange<Int>, extra: [Int: [String]] = [:]) async throws {
        host = try await FaultHost.start()
        stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/\(Self.size).mp4"),
                videos: videos.map { CatalogText.Video(id: "\($0)", extra: extra[$0] ?? []) }))
        try stage.folder.make("old")
    }

    static func content(_ id: Int) -> TestContent { TestContent(seed: UInt64(id), size: size) }

    /// Writes a file of the source.
    func file(_ path: String, _ bytes: [UInt8]) throws {
        let place = stage.folder.at("old/" + path)
        try FileManager.default.createDirectory(
            atPath: place.removingLastComponent().string, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: place.string))
    }

    /// Writes a video's file as `ID.mp4`, all of it or its beginning.
    func video(_ id: Int, upTo end: Int = size) throws { try file("\(id).mp4", Self.content(id).bytes(0..<end)) }

    /// Writes the list `old/list.csv`.
    func list(_ rows: [String], columns: String = "course,video,path,state,size") throws {
        try stage.folder.write(([columns] + rows).joined(separator: "\n") + "\n", to: "old/list.csv")
    }

    /// Runs `coursefetch migrate manifest`.
    func migrate(
        _ options: [String] = [], catalog: Bool = true,
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Report {
        try await migrate(
            ["manifest", stage.folder.at("old/list.csv").string], options, catalog: catalog, while: direct)
    }

    /// Runs `coursefetch migrate KIND SOURCE`.
    func migrate(
        _ source: [String], _ options: [String], catalog: Bool = true,
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Report {
        let catalogs = catalog ? ["--catalog", stage.folder.at("catalog.yaml").string] : []
        return try Self.report(
            await stage.run(["migrate"] + source + catalogs + ["--json"] + options, while: direct))
    }

    static func report(_ outcome: Outcome) throws -> Report {
        let decoder = JSONDecoder()
        let lines = outcome.output.split(separator: "\n").filter { $0.contains(#""event":"record_migrated""#) }
        return Report(
            exit: outcome.exit, records: try lines.map { try decoder.decode(Record.self, from: Data($0.utf8)) },
            outcome: outcome)
    }

    /// What of a table is there, to compare it before and after.
    func rows(_ table: String) throws -> [[String: String]] {
        try stage.stateCopy().rows("SELECT * FROM \(table)")
    }

    /// The source's files: path, size and time, and their bytes.
    func source() throws -> [String: String] {
        var files: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: stage.folder.at("old").string) {
            let place = stage.folder.at("old/" + path).string
            let facts = try FileManager.default.attributesOfItem(atPath: place)
            let digest = LibraryFiles(stage.folder.at("old")).digests[path] ?? ""
            files[path] = "\(facts[.size] ?? 0) \(facts[.modificationDate] ?? 0) \(digest)"
        }
        return files
    }

    /// Bytes of media that the host has sent.
    func requests() -> [String] { host.requests().map { "\($0.target) \($0.fields["range"] ?? "whole")" } }
}
