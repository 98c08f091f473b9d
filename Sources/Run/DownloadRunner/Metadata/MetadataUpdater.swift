import CourseCatalog
import Crypto
import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import MediaMetadata
import SyncFacts
import TextFormats

/// Writes the files beside the media of a run's courses, and removes those no longer wanted.
///
/// A course with unchanged facts is skipped, unless a file is missing. Each file is recorded before it is written,
/// together with the file that it replaces, so that a kill at any instant leaves only files known as ours. Files of
/// others, and files changed by others, stay.
struct MetadataUpdater {
    /// The facts to report.
    struct Outcome: Sendable {
        /// Files of others in place of ours, by course.
        var foreign: [SyncWarning.Foreign] = []
        /// The first file that couldn't be written or removed.
        var failure: LibraryError?
    }

    /// Files that are recorded and written together.
    private static let groupLimit = 128
    /// The limit on the subtitles in one page.
    private static let mostText = 16 << 20
    private static let partial = PartialName(download: 0, sidecar: "metadata")
    /// In place of a course's id, for the page of all courses: no course has it.
    private static let whole = ""

    /// Has the records of these files.
    let store: DownloadStore
    /// Have the videos; those of all shards where each course's videos are divided.
    let states: [DownloadStore]
    let library: LibraryFolder
    let writer: MetadataWriter

    private var kinds: Set<MetadataKind> { writer.kinds }

    /// - Parameter held: ids of courses that aren't touched.
    func run(_ catalog: Catalog, without held: Set<String>) throws(StoreError) -> Outcome {
        var outcome = Outcome()
        if kinds.isEmpty, try store.metadata.isEmpty() { return outcome }
        let stamps = try store.metadata.stamps().compactMapValues(CourseStamp.init(text:))
        let current = try current()
        var files = Dictionary(grouping: try store.metadata.files(), by: \.course)
        let page = files.removeValue(forKey: Self.whole) ?? []
        let listing = LibraryFileIndex(of: library)
        let facts = try CourseFacts(store, states, library)
        for course in catalog.courses where !held.contains(course.id) {
            let known = files.removeValue(forKey: course.id) ?? []
            let stamp = kinds.isEmpty ? nil : stamp(of: course, current[course.id] ?? "")
            if stamp == stamps[course.id]?.facts, Self.areThere(known, listing), stamp != nil || known.isEmpty {
                continue
            }
            try refresh(course, known: known, facts: facts, stamp: stamp, &outcome)
        }
        // Courses without any videos left.
        for (course, known) in files where current[course] == nil {
            try remove(known, &outcome)
            try store.metadata.settle(course, stamp: nil)
        }
        try refreshPage(known: page, current, listing, titles: facts, &outcome)
        return outcome
    }

    private static func areThere(_ files: [MetadataRecord], _ listing: LibraryFileIndex) -> Bool {
        files.allSatisfy { $0.modified != nil && (try? listing.contains($0.path)) ?? false }
    }

    /// The facts about each course in all states.
    private func current() throws(StoreError) -> [String: String] {
        var all: [String: String] = [:]
        for state in states {
            for (course, facts) in try state.metadata.current() {
                all[course] = all[course].map { "\($0)\n\(facts)" } ?? facts
            }
        }
        return all
    }

    private func stamp(of course: Course, _ state: String) -> String {
        let wanted = (kinds.map(\.rawValue).sorted() + (writer.hasLibrary ? ["library"] : [])).joined(separator: ",")
        return "\(MetadataWriter.version) \(wanted) \(CourseFacts.digest(of: course))\n\(state)"
    }

    private func refresh(
        _ course: Course, known: [MetadataRecord], facts: CourseFacts, stamp: String?, _ outcome: inout Outcome
    ) throws(StoreError) {
        var files: [MetadataFile] = []
        var seconds = 0.0
        if !kinds.isEmpty, let gathered = try facts.gathered(course) {
            seconds = gathered.videos.compactMap(\.seconds).reduce(0, +)
            var left = Self.mostText
            var texts: [String: SidecarRecord] = [:]
            for state in states {
                for record in try state.metadata.subtitles(of: course.id) { texts[record.path] = record }
            }
            files = writer.files(of: gathered) { path in
                guard let record = texts[path], record.size <= left, record.size > 0 else { return nil }
                left -= Int(record.size)
                let proof = FileRecord(size: record.size, modified: record.modified, sha256: nil)
                return (try? library.files.bytes(of: path, record: proof, 0..<record.size)) ?? nil
            }
        }
        try replace(
            known, with: files, of: (course.id, course.title),
            stamp: stamp.map { CourseStamp(facts: $0, seconds: seconds) }, &outcome)
    }

    /// Writes the page of all courses, or removes it.
    private func refreshPage(
        known: [MetadataRecord], _ current: [String: String], _ listing: LibraryFileIndex, titles facts: CourseFacts,
        _ outcome: inout Outcome
    ) throws(StoreError) {
        var stamps = try store.metadata.stamps()
        let last = stamps.removeValue(forKey: Self.whole).flatMap(CourseStamp.init(text:))
        var stamp: CourseStamp?
        if writer.hasLibrary {
            var list = LengthPrefixed(.decimal(UInt8(ascii: " ")))
            for (course, facts) in current.sorted(by: { $0.key < $1.key }) {
                list.add(course)
                list.add(facts)
                list.add(stamps[course])
            }
            stamp = CourseStamp(facts: "\(MetadataWriter.version) \(SHA256.hash(data: list.bytes).hex)", seconds: 0)
        }
        // Somebody else's page in its place isn't recorded, and ours follows when it is deleted.
        let isThere = stamp == nil ? known.isEmpty : (try? listing.contains(MetadataWriter.pageOfAll)) ?? true
        if stamp?.facts == last?.facts, isThere, Self.areThere(known, listing) { return }
        var files: [MetadataFile] = []
        if writer.hasLibrary {
            let made = Dictionary(grouping: try store.metadata.files(), by: \.course).mapValues { Set($0.map(\.path)) }
            let seconds = stamps.compactMapValues { CourseStamp(text: $0)?.seconds }
            files = [writer.page(of: try facts.library(seconds: seconds, made: made))].compactMap(\.self)
        }
        try replace(known, with: files, of: (Self.whole, ""), stamp: stamp, &outcome)
    }

    /// Writes files in the place of those that are known, and settles their course.
    private func replace(
        _ known: [MetadataRecord], with all: [MetadataFile], of course: (id: String, title: String),
        stamp: CourseStamp?, _ outcome: inout Outcome
    ) throws(StoreError) {
        // Of two with the same name the first one is the course's own.
        var names: Set<String> = []
        let files = all.filter { names.insert(LibraryName.key($0.path)).inserted }
        let wanted = Set(files.map(\.path))
        let failure = outcome.failure
        outcome.failure = nil
        try remove(known.filter { !wanted.contains($0.path) }, &outcome)
        let records = Dictionary(known.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        var foreign: [String] = []
        var rest = files[...]
        while !rest.isEmpty {
            try write(Array(rest.prefix(Self.groupLimit)), of: course.id, known: records, foreign: &foreign, &outcome)
            rest = rest.dropFirst(Self.groupLimit)
        }
        if let example = foreign.first {
            outcome.foreign.append(.init(course: course.title, count: foreign.count, example: example))
        }
        // A failed course is tried again by the next run.
        if outcome.failure == nil { try store.metadata.settle(course.id, stamp: stamp?.text) }
        outcome.failure = failure ?? outcome.failure
    }

    // MARK: files

    /// A file to write, and our present file.
    private struct Draft {
        var file: MetadataFile
        var record: MetadataRecord
        var existing: FileRecord?
        /// Whether it exists already with this content.
        var isThere = false
    }

    private func write(
        _ files: [MetadataFile], of course: String, known: [String: MetadataRecord], foreign: inout [String],
        _ outcome: inout Outcome
    ) throws(StoreError) {
        var drafts: [Draft] = []
        for file in files {
            do throws(LibraryError) {
                guard let draft = try draft(file, of: course, known[file.path]) else {
                    foreign.append(file.path)
                    continue
                }
                if !draft.isThere || draft.record != known[file.path] { drafts.append(draft) }
            } catch {
                outcome.failure = outcome.failure ?? error
            }
        }
        guard !drafts.isEmpty else { return }
        // Before the first of them is written.
        try store.metadata.record(drafts.map(\.record))
        var placed: [MetadataRecord] = []
        for draft in drafts {
            do throws(LibraryError) {
                guard let record = try place(draft) else {
                    foreign.append(draft.file.path)
                    continue
                }
                placed.append(record)
            } catch {
                outcome.failure = outcome.failure ?? error
                if error.isFull { break }
            }
        }
        do throws(LibraryError) {
            try library.folders.flushNames(of: placed.map(\.path))
        } catch {
            outcome.failure = outcome.failure ?? error
            return
        }
        try store.metadata.record(placed)
    }

    /// Nil if somebody else's file is in its place.
    private func draft(
        _ file: MetadataFile, of course: String, _ known: MetadataRecord?
    ) throws(LibraryError) -> Draft? {
        let size = Int64(file.bytes.count)
        let sha256 = Checksum(SHA256.hash(data: file.bytes))
        var draft = Draft(
            file: file, record: MetadataRecord(path: file.path, course: course, size: size, sha256: sha256))
        for record in (known?.proofs ?? []) + [FileRecord(size: size, modified: nil, sha256: sha256)] {
            switch try library.files.proves(file.path, is: record) {
            case .missing: return draft
            case .notOurs: continue
            case .ours(let facts):
                if file.isKept, let known, known.sha256 == record.sha256 {
                    return Draft(file: file, record: known, isThere: true)
                }
                draft.existing = FileRecord(size: facts.size, modified: facts.modified, sha256: record.sha256)
                if record.sha256 == sha256 {
                    draft.isThere = true
                    draft.record.modified = facts.modified
                } else {
                    (draft.record.old, draft.record.oldSize) = (record.sha256, record.size)
                }
                return draft
            }
        }
        return nil
    }

    /// Puts a file in its place. Nil if somebody has put something there in the meantime.
    private func place(_ draft: Draft) throws(LibraryError) -> MetadataRecord? {
        var record = draft.record
        if draft.isThere { return record }
        let partial = try library.partials.open(Self.partial)
        try partial.truncate(to: 0)
        try partial.write(draft.file.bytes)
        try partial.flush()
        let facts = try partial.facts()
        if let existing = draft.existing {
            if case .notOurs = try library.placing.replace(record.path, with: Self.partial, record: existing) {
                return nil
            }
        } else if case .exists = try library.placing.put(Self.partial, at: record.path) {
            return nil
        }
        record.modified = facts.modified
        (record.old, record.oldSize) = (nil, nil)
        return record
    }

    /// Removes files; those that are no longer ours are forgotten, and stay.
    private func remove(_ records: [MetadataRecord], _ outcome: inout Outcome) throws(StoreError) {
        var gone: [String] = []
        for record in records {
            do throws(LibraryError) {
                for proof in record.proofs {
                    if case .notOurs = try library.files.remove(record.path, record: proof) { continue }
                    break
                }
                gone.append(record.path)
            } catch {
                outcome.failure = outcome.failure ?? error
            }
        }
        do throws(LibraryError) {
            try library.folders.flushNames(of: gone)
        } catch {
            // At worst they come back, and are still recorded.
            outcome.failure = outcome.failure ?? error
            return
        }
        try store.metadata.forget(gone)
    }
}

extension MetadataRecord {
    /// The records of our files that may be in its place.
    fileprivate var proofs: [FileRecord] {
        let now = FileRecord(size: size, modified: modified, sha256: sha256)
        guard let old, let oldSize else { return [now] }
        return [now, FileRecord(size: oldSize, modified: nil, sha256: old)]
    }
}
