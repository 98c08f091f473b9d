import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import MigrationSources
import SyncFacts

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Decides what to do with a record: which video it is, and whether its bytes can be what they should be. Looks at
/// files of the source; changes nothing.
struct MigrationJudge {
    /// What is to be done.
    enum Step {
        /// Nothing: this is the result.
        case done(MigratedRecord)
        /// Its file becomes the video's.
        case adopt(Adoption)
        /// The user has seen it: its video isn't wanted.
        case skip(MigratedRecord, MigrationTarget)
        /// It isn't finished: the video waits, with these bytes if there are any.
        case queue(MigratedRecord, MigrationTarget, SourcePartial?)
    }

    /// A finished file and its video.
    struct Adoption {
        var result: MigratedRecord
        var target: MigrationTarget
        /// The files whose bytes are the video's, one after the other.
        var pieces: [(path: String, facts: FileFacts)]
        /// The digests that all of them together have to have.
        var expected: [Checksum]
        var companions: [(path: String, facts: FileFacts)]

        var size: Int64 { pieces.byteCount { $0.facts.size }.value }
    }

    let source: OpenSource
    let options: MigrationOptions
    let index: CatalogIndex
    private var targets: MigrationTargets
    /// Results of earlier runs.
    let journal: [Data: MigrationEntry]
    let map: NameMap?
    /// Videos that this run has decided on, with the sizes of their files.
    private var taken: [DownloadKey: Int64?] = [:]

    init(
        _ input: MigrationInput, _ index: CatalogIndex, _ targets: MigrationTargets, journal: [Data: MigrationEntry]
    ) {
        (source, options, map) = (input.source, input.options, input.map)
        self.index = index
        self.targets = targets
        self.journal = journal
    }

    /// The step for the next record of the source.
    mutating func judge(_ record: SourceRecord) throws -> Step {
        var result = MigratedRecord(name: record.names.first ?? record.key, code: .failed)
        func done(_ code: MigrationCode, _ reason: MigrationReason?) -> Step {
            result.code = code
            result.reason = reason
            return .done(result)
        }
        if record.fault == .repeated { return done(.duplicate, .sameVideo) }
        let key: DownloadKey
        switch find(record) {
        case .success(let found): key = found
        case .failure(let problem) where problem.reason == .noVideo && isSeen(record): return done(.duplicate, .seen)
        case .failure(let problem):
            if let fault = record.fault { return done(.invalidRecord, .fault(fault)) }
            return done(.notReady, problem.reason)
        }
        guard let target = try targets.target(key) else { return done(.notReady, .noVideo) }
        result.reference = target.reference
        if targets.isHeld(key) { return done(.notReady, .courseHeld) }
        let earlier = journal[OpenSource.digest(record)].flatMap { $0.code.isIn && $0.key == key ? $0 : nil }
        if let earlier, target.state == .finished {
            taken[key] = target.file?.size
            result.isEarlier = true
            return done(earlier.code, nil)
        }
        if isSeen(record), target.state != .finished {
            taken[key] = taken[key] ?? nil
            result.isEarlier = target.state == .cancelled
            (result.code, result.reason) = (.added, .seen)
            targets.begin(key)
            return result.isEarlier ? .done(result) : .skip(result, target)
        }
        let isQueued =
            earlier?.code == .added
            && target.state.isAsMigrated(
                requeues: options.requeues, pauses: options.pausesQueued)
        if let fault = record.fault {
            if isQueued {
                (result.isEarlier, result.isQueued) = (true, true)
                return done(.added, nil)
            }
            result.code = .invalidRecord
            result.reason = .fault(fault)
            targets.begin(key)
            return .queue(result, target, nil)
        }
        if case .held(let hold) = record.state { return done(.notReady, .hold(hold)) }
        if target.state == .cancelled, !options.requeues { return done(.notReady, .cancelled) }
        return try judge(record, for: target, at: key, isQueued: isQueued, result)
    }

    /// What happens to the files of a record, if no earlier record had the same video.
    private mutating func judge(
        _ record: SourceRecord, for target: MigrationTarget, at key: DownloadKey, isQueued: Bool,
        _ result: MigratedRecord
    ) throws -> Step {
        var result = result
        func done(_ code: MigrationCode, _ reason: MigrationReason?) -> Step {
            (result.code, result.reason) = (code, reason)
            return .done(result)
        }
        let step: Step
        do { step = try self.step(record, target, result) } catch let problem as SourceProblem {
            // One file that can't be read is its record's trouble.
            return done(.failed, .source(problem))
        }
        if isQueued, case .queue = step {
            taken[key] = taken[key] ?? nil
            (result.isEarlier, result.isQueued) = (true, true)
            return done(.added, nil)
        }
        if case .adopt(let adoption) = step {
            if let size = target.file?.size ?? taken[key].flatMap(\.self) {
                return done(.duplicate, size == adoption.size ? nil : .otherBytes)
            }
            taken[key] = adoption.size
        } else if target.state == .finished {
            return done(.duplicate, nil)
        } else if taken.updateValue(taken[key] ?? nil, forKey: key) != nil {
            return done(.duplicate, .sameVideo)
        }
        targets.begin(key)
        return step
    }

    /// Whether the source says that it had the video, and has no file of it, which is what the user wants to be left
    /// out.
    private func isSeen(_ record: SourceRecord) -> Bool {
        options.skipsSeen && record.state == .finished && record.file == nil && record.fault == nil
    }

    private struct NoVideo: Error {
        var reason: MigrationReason
    }

    private mutating func find(_ record: SourceRecord) -> Result<DownloadKey, NoVideo> {
        if let found = map?.target(of: record) {
            let key = DownloadKey(course: found.course, video: found.video)
            return index.contains(key)
                ? .success(key) : .failure(NoVideo(reason: .badMapEntry("\(found.course)/\(found.video)")))
        }
        switch index.find(record) {
        case .video(let key): return .success(key)
        case .several: return .failure(NoVideo(reason: .ambiguous))
        case .nothing:
            let key = NewCatalog.keys(of: record, in: source).first { index.contains($0) }
            return key.map { .success($0) } ?? .failure(NoVideo(reason: .noVideo))
        }
    }

    private func step(
        _ record: SourceRecord, _ target: MigrationTarget, _ result: MigratedRecord
    ) throws -> Step {
        var result = result
        func lost(_ reason: MigrationReason) -> Step {
            result.code = .fileLost
            result.reason = reason
            return .queue(result, target, nil)
        }
        guard let file = record.file else {
            guard record.state == .unfinished else { return lost(.missingFile(result.name)) }
            result.code = .uncompleted
            return .queue(result, target, record.partial)
        }
        var pieces: [(path: String, facts: FileFacts)] = []
        for path in file.pieces {
            guard source.isOutside(path), let facts = try source.place.facts(of: path), facts.size > 0 else {
                return lost(.missingFile(path))
            }
            pieces.append((path, facts))
        }
        let size = pieces.byteCount { $0.facts.size }.value
        if record.state == .unproven, target.size.map({ size < $0 }) ?? (target.sha256 == nil) {
            result.code = .uncompleted
            return .queue(result, target, record.unprovenBytes)
        }
        for expected in [file.size, target.size].compactMap(\.self) where expected != size {
            return lost(.wrongSize(found: size, expected: expected))
        }
        var companions: [(path: String, facts: FileFacts)] = []
        for companion in record.companions {
            guard source.isOutside(companion.path), let facts = try source.place.facts(of: companion.path),
                facts.size == companion.size ?? facts.size
            else { return lost(.missingFile(companion.path)) }
            companions.append((companion.path, facts))
        }
        result.code = .added
        result.bytes = size
        let naming = [pieces.last?.path, record.url].compactMap(\.self) + record.names
        // A player knows its own formats by their endings.
        let ending = FileExtension.ofMedia(named: naming, keepsFirst: options.kind == .baijiayun)
        result.path = "\(target.stem).\(ending)"
        return .adopt(
            Adoption(
                result: result, target: target, pieces: pieces,
                expected: [file.sha256, target.sha256].compactMap(\.self), companions: companions))
    }
}
