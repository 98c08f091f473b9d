import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import SyncFacts

/// One run of `copy`, on one thread: videos, then what is removed, then the files of courses and the checksums.
struct CopyWork {
    let sources: [CopySource]
    let target: CopyTarget
    let plan: CopyPlan
    let wish: CopyWish
    /// Whether a shard isn't among the sources: what it has selected is unknown then.
    let isPartial: Bool
    let shouldStop: () -> Bool
    let observe: (CopyEvent) -> Void

    /// The progress, and when it was told.
    private final class Meter {
        var progress: CopyProgress
        /// Bytes of the files before the present one.
        var base: Int64 = 0
        var last = Date.distantPast

        init(_ progress: CopyProgress) { self.progress = progress }

        func advance(to bytes: Int64) { (base, progress.bytes) = (bytes, bytes) }
    }

    /// Throws a ``Refusal``, ``LibraryError`` or ``StoreError`` if it couldn't begin; what ended it later is in the
    /// result.
    func run(folder: String) throws -> LibraryCopy {
        let all = plan.videos.count + plan.tooLarge.count + plan.present
        let begun = CopyProgress(
            videos: plan.present + plan.tooLarge.count, allVideos: all, bytes: 0, allBytes: plan.bytes)
        let meter = Meter(begun)
        var result = LibraryCopy(folder: folder, progress: begun)
        (result.present, result.renamed) = (plan.present, plan.renamed)
        observe(.begun(folder: folder, begun))
        for problem in plan.tooLarge { note(problem, &result) }
        do {
            try copyVideos(meter, &result)
            try finish(meter, &result)
        } catch LibraryError.stopped {
            result.isStopped = true
        } catch let error as LibraryError {
            result.failure = error
        }
        result.progress = meter.progress
        tell(meter, isLast: true)
        return result
    }

    private func note(_ problem: LibraryCopy.Problem, _ result: inout LibraryCopy) {
        result.problems.append(problem)
        observe(.failed(problem))
    }

    // MARK: videos

    private func copyVideos(_ meter: Meter, _ result: inout LibraryCopy) throws {
        var known = Set(target.entries.map(\.course))
        for video in plan.videos {
            if shouldStop() { throw LibraryError.stopped }
            // A list that ends with the videos so far is of use, too.
            if known.insert(video.reference.course).inserted {
                for entry in CopiedCourse.entries(video.reference.course, sources, target) {
                    try target.note(entry)
                }
            }
            try copy(video, meter, &result)
            meter.progress.videos += 1
            tell(meter)
        }
    }

    private func copy(_ video: PlannedVideo, _ meter: Meter, _ result: inout LibraryCopy) throws {
        let end = meter.base + video.files.reduce(0) { $0 + ($1.isThere ? 0 : $1.record.size) }
        defer { meter.advance(to: end) }
        var records = [FileRecord?](repeating: nil, count: video.files.count)
        var written: [CopyTarget.Known] = []
        let old = target.entry(video.key)
        // What the video can't do without comes first.
        let order = video.files.indices.sorted {
            (video.files[$0].isNeeded ? 0 : 1, $0) < (video.files[$1].isNeeded ? 0 : 1, $1)
        }
        for index in order {
            let file = video.files[index]
            let outcome = try copier(meter, counts: !file.isThere).copy(file, from: sources[video.source].library)
            if !file.isThere { meter.advance(to: meter.base + file.record.size) }
            switch outcome {
            case .there(let record, let isNew):
                records[index] = record
                if isNew { written.append(.init(path: file.to, record: record)) }
            case .problem(let kind):
                let problem = LibraryCopy.Problem(
                    reference: video.reference, path: file.from, size: file.record.size, kind: kind,
                    lacksVideo: file.isNeeded)
                note(problem, &result)
                if file.isNeeded { return try removeAll(written, but: old) }
            }
        }
        let entry = video.entry(with: records)
        if entry != old { try target.note(entry) }
        try removeAll(old?.files ?? [], but: entry)
        guard !written.isEmpty else { return result.present += 1 }
        if old == nil { result.copied += 1 } else { result.updated += 1 }
        let isUpdate = old != nil
        observe(.copied(video.reference, path: entry.path ?? "", bytes: video.bytes, isUpdate: isUpdate))
    }

    /// Removes files that a line doesn't name.
    private func removeAll(_ files: [CopyTarget.Known], but entry: FileListEntry?) throws {
        let paths = Set((entry?.files ?? []).map { LibraryName.key($0.path) })
        for file in files where !paths.contains(LibraryName.key(file.path)) { try target.remove(file) }
    }

    private func copier(_ meter: Meter, counts: Bool) -> FileCopier {
        FileCopier(target: target, verifies: wish.verifies, shouldStop: shouldStop) { bytes in
            guard counts else { return }
            meter.progress.bytes = meter.base + bytes
            tell(meter)
        }
    }

    private func tell(_ meter: Meter, isLast: Bool = false) {
        let now = Date()
        guard isLast || abs(now.timeIntervalSince(meter.last)) >= 0.1 else { return }
        meter.last = now
        observe(.progress(meter.progress))
    }

    // MARK: the rest

    private func finish(_ meter: Meter, _ result: inout LibraryCopy) throws {
        // What a shard has that can't be read isn't known to be unselected.
        if wish.prunes, !isPartial { result.removed = try prune() }
        let copier = copier(meter, counts: false)
        var metadata: [String: [(source: Int, record: MetadataRecord)]] = [:]
        for (index, source) in sources.enumerated() {
            for record in try source.store.metadata.files() {
                metadata[record.course, default: []].append((index, record))
            }
        }
        let lines = Dictionary(grouping: target.entries.filter { !$0.course.isEmpty }, by: \.course)
        let selected = Set(plan.courses)
        let emptied = lines.keys.filter { id in
            !selected.contains(id) && lines[id]?.contains { $0.video != nil } == false
        }
        for course in plan.courses + emptied {
            if shouldStop() { throw LibraryError.stopped }
            let files = CopiedCourse(
                id: course, sources: sources, target: target, copier: copier, lines: lines[course] ?? [],
                metadata: metadata[course] ?? [])
            for problem in try files.update() { note(problem, &result) }
        }
        try writeChecksums(copier, &result)
        try target.compact()
        try copier.removePartials()
    }

    /// Removes the videos that aren't selected. Returns how many.
    private func prune() throws -> Int {
        let gone = target.entries.filter { $0.video != nil && !plan.selected.contains(FileListKey($0)) }
        for entry in gone {
            if shouldStop() { throw LibraryError.stopped }
            for file in entry.files { try target.remove(file) }
            target.forget(FileListKey(entry))
        }
        return gone.count
    }

    private func writeChecksums(_ copier: FileCopier, _ result: inout LibraryCopy) throws {
        let bytes = Array(CopiedChecksums.text(target.entries).utf8)
        let entry = CopiedChecksums.entry(bytes)
        if target.entry(FileListKey(entry)) != entry { try target.note(entry) }
        guard try copier.place(bytes, at: CopiedChecksums.name) == nil else { return }
        note(
            LibraryCopy.Problem(
                reference: VideoReference(course: "", chapter: nil, video: "", title: ""), path: CopiedChecksums.name,
                size: Int64(bytes.count), kind: .inTheWay, lacksVideo: false), &result)
    }
}
