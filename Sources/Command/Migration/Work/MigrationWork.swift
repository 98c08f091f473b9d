import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import MigrationSources
import SyncFacts
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Carries out the steps of a migration: files into the library in groups, in the durable order of a download; partials
/// into those of downloads; and the journal after them, so that a killed run repeats at most what it can't know.
struct MigrationWork {
    /// Why it can't go on.
    enum End: Error {
        case stopped
        case diskFull
    }

    private static let groupLimit = 256
    /// A file of this size isn't kept waiting for others: a kill would cost it.
    private static let largeFile: Int64 = 64 << 20

    let source: OpenSource
    let options: MigrationOptions
    let store: DownloadStore
    let library: LibraryFolder
    let shouldStop: () -> Bool
    let report: (MigratedRecord) -> Void
    /// Called with the bytes of each block that was copied.
    let copied: (Int64) -> Void

    private var group: [(adoption: MigrationJudge.Adoption, record: SourceRecord)] = []
    private var entries: [MigrationEntry] = []

    init(
        source: OpenSource, options: MigrationOptions, store: DownloadStore, library: LibraryFolder,
        shouldStop: @escaping () -> Bool, report: @escaping (MigratedRecord) -> Void,
        copied: @escaping (Int64) -> Void
    ) {
        self.source = source
        self.options = options
        self.store = store
        self.library = library
        self.shouldStop = shouldStop
        self.report = report
        self.copied = copied
    }

    /// Carries out a step, now or with those after it.
    mutating func add(_ step: MigrationJudge.Step, of record: SourceRecord) throws {
        switch step {
        case .done(let result): finish(result, of: record)
        case .skip(let result, let target):
            if let id = target.id { try store.write([.steer(id, .cancel)]) }
            finish(result, of: record)
        case .adopt(let adoption):
            group.append((adoption, record))
            if group.count >= Self.groupLimit || group.contains(where: { $0.adoption.size >= Self.largeFile }) {
                try placeGroup()
            }
        case .queue(let result, let target, let partial):
            finish(try queue(result, target, partial), of: record)
        }
        if entries.count >= Self.groupLimit { try flush() }
    }

    /// Carries out what is left.
    mutating func end() throws {
        try placeGroup()
        try flush()
    }

    private mutating func finish(_ result: MigratedRecord, of record: SourceRecord) {
        report(result)
        // A repeated record has the key of the first one, whose result counts.
        guard !result.isEarlier, record.fault != .repeated else { return }
        let key = result.reference.map { DownloadKey(course: $0.course, video: $0.video) }
        entries.append(MigrationEntry(record: OpenSource.digest(record), code: result.code, key: key))
    }

    private mutating func flush() throws {
        try store.migrations.record(entries, of: source.name)
        entries.removeAll(keepingCapacity: true)
    }

    // MARK: finished files

    private mutating func placeGroup() throws {
        let group = self.group
        self.group.removeAll(keepingCapacity: true)
        guard !group.isEmpty else { return }
        try store.write(group.flatMap { Self.preparing($0.adoption.target) })
        var arrived: [ArrivedFile] = []
        var members: [DownloadID: Int] = [:]
        var end: End?
        for (number, member) in group.enumerated() {
            guard let id = member.adoption.target.id, end == nil else { continue }
            for name in DownloadKind.partials(of: id) { try library.partials.remove(name) }
            do throws(Failure) {
                arrived.append(try bring(member.adoption, id))
                members[id] = number
            } catch {
                switch error {
                case .end(let reason): end = reason
                case .lost(let reason):
                    var result = member.adoption.result
                    (result.code, result.reason, result.bytes, result.path) = (.fileLost, reason, 0, nil)
                    // Whether it is a part of the right file, its server tells.
                    let isPart = reason == .wrongChecksum && member.record.state == .unproven
                    if isPart { (result.code, result.reason) = (.uncompleted, nil) }
                    let bytes = isPart ? member.record.unprovenBytes : nil
                    finish(try queue(result, member.adoption.target, bytes), of: member.record)
                case .failed(let reason): fail(member, reason)
                }
            }
        }
        try place(arrived, members: members, of: group, &end)
        if let end {
            try flush()
            throw end
        }
    }

    private mutating func place(
        _ arrived: [ArrivedFile], members: [DownloadID: Int],
        of group: [(adoption: MigrationJudge.Adoption, record: SourceRecord)], _ end: inout End?
    ) throws {
        var failure: StoreError?
        var failed: [(number: Int, reason: MigrationReason)] = []
        let placed = Placer(store: store, library: library).place(
            arrived,
            write: { [store] changes in
                do throws(StoreError) {
                    try store.write(changes)
                    return true
                } catch {
                    failure = error
                    return false
                }
            },
            failed: { file, problem in
                guard let number = file.role.download.flatMap({ members[$0] }) else { return }
                if case .library(let error) = problem {
                    if error.isFull { end = .diskFull } else { failed.append((number, .library(error))) }
                }
            })
        if let failure { throw failure }
        for (number, reason) in failed { fail(group[number], reason) }
        var asking: [DownloadChange] = []
        for item in placed ?? [] {
            guard let id = item.file.role.download, let number = members[id] else { continue }
            // Its provider may know subtitles: the next sync asks.
            asking.append(.sidecar(.unasked(id)))
            var result = group[number].adoption.result
            result.path = item.stored.path
            finish(result, of: group[number].record)
        }
        try store.write(asking)
        // What another downloader had before isn't new to anybody.
        try store.downloads.announce(
            asking.compactMap { if case .sidecar(let change) = $0 { change.download } else { nil } })
    }

    private mutating func fail(
        _ member: (adoption: MigrationJudge.Adoption, record: SourceRecord), _ reason: MigrationReason
    ) {
        var result = member.adoption.result
        (result.code, result.reason, result.bytes, result.path) = (.failed, reason, 0, nil)
        finish(result, of: member.record)
    }

    private enum Failure: Error {
        case end(End)
        case failed(MigrationReason)
        case lost(MigrationReason)

        init(_ error: LibraryError) {
            if error == .stopped {
                self = .end(.stopped)
            } else {
                self = error.isFull ? .end(.diskFull) : .failed(.library(error))
            }
        }
    }

    /// Makes the partials of a video and its companions.
    private func bring(_ adoption: MigrationJudge.Adoption, _ id: DownloadID) throws(Failure) -> ArrivedFile {
        let partial = PartialName(download: id.rawValue)
        let sha256 = try bring(adoption.pieces, as: partial, expected: adoption.expected)
        let target = adoption.target
        var file = ArrivedFile(
            role: .video(id, source: target.source), partialName: partial, size: adoption.size, sha256: sha256,
            path: adoption.result.path ?? target.stem, id: target.reference.video,
            old: target.oldFile)
        for (number, companion) in adoption.companions.enumerated() {
            let name = String(companion.path.split(separator: "/").last ?? "")
            let part = PartialName(download: id.rawValue, sidecar: "companion-\(number)")
            let sha256 = try bring([companion], as: part, expected: [])
            let (folder, stem) = LibraryPathParts.split(target.stem)
            let title = LibraryName.attachment(beside: stem, title: name)
            let ending = FileExtension.choose(.attachment, url: name).text
            file.parts.append(
                ArrivedFile(
                    role: .sidecar(id, .attachment, name: name), partialName: part, size: companion.facts.size,
                    sha256: sha256, path: (folder.isEmpty ? "" : folder + "/") + "\(title).\(ending)",
                    id: target.reference.video))
        }
        return file
    }

    /// Links or copies files of the source into one partial. Returns the SHA-256 if it was computed.
    private func bring(
        _ pieces: [(path: String, facts: FileFacts)], as partial: PartialName, expected: [Checksum]
    ) throws(Failure) -> Checksum? {
        var open: [Imports.Piece] = []
        defer { for piece in open { close(piece.descriptor) } }
        for piece in pieces {
            do throws(SourceProblem) {
                guard let descriptor = try source.place.open(piece.path) else {
                    throw .missing(path: source.place.shown(piece.path))
                }
                open.append(Imports.Piece(descriptor))
            } catch { throw .lost(.source(error)) }
        }
        if options.method != .copy, pieces.count == 1 {
            var sha256: Checksum?
            if !expected.isEmpty {
                do throws(Errno) { sha256 = try Imports.digest(of: open, shouldStop: shouldStop).sha256 } catch {
                    throw Failure(error == .canceled ? .stopped : .system(.read, path: pieces[0].path, error))
                }
                guard expected.allSatisfy({ $0 == sha256 }) else { throw .lost(.wrongChecksum) }
            }
            if try link(pieces[0], as: partial) { return sha256 }
            guard options.method == .move else { throw .failed(.otherFileSystem) }
        }
        let done: (size: Int64, sha256: Checksum)
        do throws(LibraryError) {
            done = try library.imports.copy(open, as: partial, shouldStop: shouldStop, copied: copied)
        } catch { throw Failure(error) }
        let size = pieces.byteCount { $0.facts.size }.value
        guard done.size == size, expected.allSatisfy({ $0 == done.sha256 }) else {
            try? library.partials.remove(partial)
            throw .lost(done.size == size ? .wrongChecksum : .wrongSize(found: done.size, expected: size))
        }
        return done.sha256
    }

    private func link(_ piece: (path: String, facts: FileFacts), as partial: PartialName) throws(Failure) -> Bool {
        guard let (folder, name) = source.place.parent(of: piece.path) else { return false }
        do throws(LibraryError) {
            return try library.imports.link(name, in: folder, proven: piece.facts, as: partial)
        } catch { throw Failure(error) }
    }

    // MARK: downloads that are still to be made

    private mutating func queue(
        _ result: MigratedRecord, _ target: MigrationTarget, _ partial: SourcePartial?
    ) throws -> MigratedRecord {
        var result = result
        guard let id = target.id, target.state != .finished else { return result }
        // Without the user's wish a video that was cancelled, paused or has failed stays so.
        if options.requeues, let transition = target.state.beforeRequeueing {
            try store.write([Self.change(transition, of: id)])
        }
        if options.requeues || target.state.isOpen, let partial {
            try take(partial, for: target, id, &result)
        }
        if options.requeues {
            if options.pausesQueued { try store.write([.steer(id, .pause)]) }
            result.code = .added
            result.isQueued = true
        } else {
            result.isQueued = target.state.isOpen
        }
        return result
    }

    /// Takes the bytes of a partial over. The server proves them before they are continued.
    private mutating func take(
        _ partial: SourcePartial, for target: MigrationTarget, _ id: DownloadID, _ result: inout MigratedRecord
    ) throws {
        guard let length = try source.bytes(of: partial, size: target.size),
            let descriptor = try source.place.open(partial.path)
        else { return }
        defer { close(descriptor) }
        guard target.durableBytes < length else {
            // As many: an earlier run has brought them.
            result.reason = target.durableBytes == length ? .partial(bytes: length) : .hasMore
            return
        }
        let name = PartialName(download: id.rawValue)
        if target.durableBytes > 0 { try store.write(Self.startingOver(target, id)) }
        for other in DownloadKind.partials(of: id) { try library.partials.remove(other) }
        let brought: Int64
        let foreign: ForeignBytes
        do {
            let facts = try FileFacts(descriptor: descriptor)
            foreign = ForeignBytes(made: FileFacts.made(descriptor: descriptor), modified: facts.modified)
            if try isLinked(partial, facts, length, as: name) {
                brought = length
            } else {
                brought = try library.imports.copy(
                    [Imports.Piece(descriptor, length: length)], as: name, shouldStop: shouldStop, copied: copied
                ).size
            }
        } catch let failure as Failure {
            switch failure {
            case .end(let end): throw end
            case .failed(let reason), .lost(let reason): (result.code, result.reason) = (.failed, reason)
            }
            return
        } catch {
            let error = error as? LibraryError ?? .system(.read, path: partial.path, error as? Errno ?? .ioError)
            if error == .stopped { throw End.stopped }
            if error.isFull { throw End.diskFull }
            result.code = .failed
            result.reason = .library(error)
            return
        }
        let facts = ProgressFacts(
            bytes: brought, total: partial.total ?? target.size, validators: Validators(), position: foreign.position)
        try store.write([.kind(id, .file), .progress(id, facts)])
        if partial.isWholeFile { try store.downloads.announce([id]) }
        result.bytes = brought
        result.reason = .partial(bytes: brought)
    }

    /// A file that may be complete gets a second name where that is wanted. The sync only reads such a partial.
    private func isLinked(
        _ partial: SourcePartial, _ facts: FileFacts, _ length: Int64, as name: PartialName
    ) throws(Failure) -> Bool {
        guard partial.isWholeFile, options.method != .copy, length == facts.size else { return false }
        if try link((partial.path, facts), as: name) { return true }
        guard options.method == .move else { throw .failed(.otherFileSystem) }
        return false
    }

    // MARK: rows

    /// The changes after which a video can be finished, and its partial be replaced.
    private static func preparing(_ target: MigrationTarget) -> [DownloadChange] {
        guard let id = target.id else { return [] }
        var changes = [target.state.beforeAdoption.map { change($0, of: id) }].compactMap(\.self)
        if target.durableBytes > 0 { changes += startingOver(target, id) }
        changes.append(.kind(id, .file))
        return changes
    }

    private static func change(_ transition: StateTransition, of id: DownloadID) -> DownloadChange {
        transition == .revive ? .revive(id) : .steer(id, transition)
    }

    private static func startingOver(_ target: MigrationTarget, _ id: DownloadID) -> [DownloadChange] {
        [
            .startOver(id, validatorFailures: target.validatorFailures, startOvers: target.startOvers)
        ]
    }
}
