import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import PathLayout
import SyncFacts

/// Rows of the state: their changes, and the resulting downloads.
extension Reconciler {
    mutating func scan() throws {
        var guess = 0
        try store.downloads.scan { row in
            guard let number = entries.find(row, guess: guess) else { return try judgeUnwritten(row) }
            guess = number + 1
            let slot = entries.slots[number]
            seen[number] = true
            noteNumbers(of: row, number, slot)
            guard isCompared[Int(slot.course)] else { return tally(row, slot) }
            guard isSelected(slot) else { return }
            guard held[Int(slot.course)] == nil else {
                return result.counts[settled(row).state, default: 0] += 1
            }
            try judge(row, number, slot)
        }
    }

    mutating func judgeUnwritten(_ row: ScannedDownload) throws {
        noteGoneNumbers(of: row)
        guard let course = row.string(.course), compared.contains(course),
            entries.hasCourse(course) || isUnwritten(course)
        else { return }
        // A video that its provider may still list isn't gone.
        if entries.isUnlisted(course) || result.held.contains(where: { $0.course == course }) { return }
        let reference = VideoReference(
            course: course, chapter: row.string(.chapter), video: row.string(.video) ?? "",
            title: row.string(.title) ?? "")
        guard isSelected(reference) else { return }
        let file = row.storedFile
        let state = row.state
        let isKnown = row.integer(.isGone) == 1
        let gone = Reconciliation.Gone(
            id: row.id, reference: reference, state: state, file: file, hasPartial: row.integer(.durableBytes) > 0,
            isKnown: isKnown)
        if gone.isValued { result.valuedInJudged += 1 }
        result.gone.append(gone)
        if !isKnown { result.changes.gone.append(row.id) }
    }

    /// Counts a finished video of a course that is compared later: a disk is missing for all of them at once.
    private mutating func tally(_ row: ScannedDownload, _ slot: CatalogEntries.Slot) {
        guard knownTallies.isEmpty, settled(row).state == .finished else { return }
        _ = isThere(row, slot)
    }

    /// Whether a course in no catalog of this run was listed in a file that this run has read, or was forgotten.
    func isUnwritten(_ course: String) -> Bool {
        folders.recordedCourses[course].map { $0.file.isEmpty || judgedFiles.contains($0.file) } ?? false
    }

    func unlistedFolders() -> UnlistedFolders {
        let written = Dictionary(
            entries.catalog.courses.map { ($0.id, Set($0.chapters.map(\.id))) }, uniquingKeysWith: { $0.union($1) })
        let isJudged = { (course: String) in
            compared.contains(course)
                && ((entries.hasCourse(course) && !entries.isUnlisted(course)) || isUnwritten(course))
        }
        return UnlistedFolders(
            courses: folders.recordedCourses.values.filter { written[$0.id] == nil && isJudged($0.id) },
            chapters: folders.recordedChapters.values.filter {
                written[$0.course]?.contains($0.id) != true && isJudged($0.course)
            })
    }

    mutating func judge(_ row: ScannedDownload, _ number: Int, _ slot: CatalogEntries.Slot) throws {
        let video = entries.video(slot)
        let source = entries.source(video)
        let extras = CatalogEntries.extras(video)
        let numbers = numbers[number]
        let isPlacedAsBefore =
            video.withTitleBytes { row.equals(.title, $0) } && row.number(.number) == numbers.number
            && row.equals(.chapter, entries.chapterID(slot))
        let isNamedAsBefore = isPlacedAsBefore && isNamedRight(row, number, slot)
        let sourceChanged = !row.equals(.source, source) || !row.equals(.provider, video.provider.name)
        let isSameEntry =
            isPlacedAsBefore && !sourceChanged && row.integer(.position) == Int64(slot.video) + 1
            && row.integer(.ordinal) == Int64(slot.ordinal) && row.number(.numberInCourse) == numbers.index
            && (row.integer(.keepsNumber) != 0) == numbers.keepsNumber
            && row.integer(.priority) == Int64(video.priority) && row.equals(.extras, extras)
            && row.equals(.expectedSize, video.size) && video.withSHA256Bytes { row.equals(.expectedSHA256, $0) }
            && row.integer(.isGone) == 0
        let status = settled(row)
        let (state, oldFile, failedRuns) =
            status.state == .finished
            ? judgeFinished(row, slot, source) : judgeUnfinished(row, slot, status, source: source)
        if state == .waiting, row.hasUnknownState {
            result.notices.append(.damagedState(reference(slot)))
            result.changes.damaged.append(row.id)
        }
        result.counts[state, default: 0] += 1
        if state != .waiting, state != .finished {
            result.leftAlone.append(.init(id: row.id, reference: reference(slot), state: state))
        }
        let displaced = state == .finished ? displacedStem(row, slot) : nil
        let isUnchanged = isSameEntry && isNamedAsBefore && displaced == nil
        if isUnchanged, state == .finished, row.equals(.storedExtras, extras), due[row.id] == nil { return }

        let staysInPlace = state == .finished || (!status.isPlacing && row.hasFile(ofViewsOf: source))
        let kept = Row(
            id: row.id, state: state, path: staysInPlace ? row.string(.path) : nil, stem: row.string(.stem) ?? "",
            wanted: state == .waiting, oldFile: oldFile,
            // A new source is a new chance.
            failedRuns: sourceChanged ? 0 : failedRuns,
            retryAt: sourceChanged || status.state == .failed ? nil : status.retryAt,
            hasPartial: row.integer(.durableBytes) > 0, hasExtras: row.equals(.storedExtras, extras),
            isNotReady: row.equals(.errorKind, DownloadError.Kind.notReady.rawValue),
            hasArrived: status.isPlacing && !sourceChanged,
            priorityOverride: row.isNull(.priorityOverride) ? nil : Int(row.integer(.priorityOverride)),
            sourceChanged: sourceChanged, displacedStem: displaced)
        if !isNamedAsBefore || displaced != nil {
            return renamed.append(Renamed(slot: number, row: kept, isChanged: !isSameEntry))
        }
        if !isSameEntry { update(number, kept, stem: kept.stem) }
        want(number, kept, stem: kept.stem)
    }

    /// What becomes of a row, and the file to keep until its successor is complete.
    private typealias Verdict = (state: DownloadState, oldFile: StoredFile?, failedRuns: Int)

    private mutating func judgeFinished(
        _ row: ScannedDownload, _ slot: CatalogEntries.Slot, _ source: SourceDigest
    ) -> Verdict {
        result.valuedInJudged += 1
        let failedRuns = row.count(.failedRuns)
        if !isThere(row, slot) {
            result.changes.lost.append(row.id)
            result.lost.append(reference(slot))
            return (.waiting, nil, failedRuns)
        }
        let isOther = !row.equals(.fileSource, source)
        let lacking = partPaths[row.id]?.filter { !isThere($0.path, of: Int(slot.course)) } ?? []
        let isRight = lacking.allSatisfy({ $0.role != nil }) && !contradicts(row, entries.video(slot))
        let mayStay = isRight && row.hasFile(ofViewsOf: source)
        guard isRight, lacking.isEmpty, !(isOther && mayStay) else {
            result.changes.refetched.append(row.id)
            result.refetched.append(reference(slot))
            if mayStay { result.changes.keptFiles.insert(row.id) }
            return (.waiting, row.file(stays: mayStay), failedRuns)
        }
        if isOther { result.fromOtherSource += 1 }
        return (.finished, nil, failedRuns)
    }

    private mutating func judgeUnfinished(
        _ row: ScannedDownload, _ slot: CatalogEntries.Slot, _ status: RowStatus, source: SourceDigest
    ) -> Verdict {
        let sourceChanged =
            !row.equals(.source, source) || !row.equals(.provider, entries.video(slot).provider.name)
        if [.waiting, .failed].contains(status.state), !status.isPlacing, isWhole(row, slot, source) {
            result.valuedInJudged += 1
            result.changes.finished.append(row.id)
            return (.finished, nil, 0)
        }
        var state = status.state
        var failedRuns = row.count(.failedRuns)
        if state == .paused || state == .cancelled || row.integer(.durableBytes) > 0 || !row.isNull(.path) {
            result.valuedInJudged += 1
        }
        if state == .failed, sourceChanged {
            state = .waiting
        } else if state == .failed, retriesFailed, row.mayPass {
            result.changes.revived.append(row.id)
            state = .waiting
            // A try before its time doesn't put off the next one.
            failedRuns = max(0, failedRuns - 1)
        }
        // It was finished once; the file stays until its successor is complete. While a file is being placed, its
        // path is that of the new one.
        let keepsFile = state == .waiting && !row.isNull(.path) && !status.isPlacing
        let file = keepsFile ? row.storedFile : nil
        return (state, file.flatMap { row.file(stays: isThere($0.path, of: Int(slot.course))) }, failedRuns)
    }

    /// Whether everything is there that the catalog wants: a choice of views was taken back.
    private mutating func isWhole(
        _ row: ScannedDownload, _ slot: CatalogEntries.Slot, _ source: SourceDigest
    ) -> Bool {
        guard row.equals(.fileSource, source), row.equals(.provider, entries.video(slot).provider.name),
            let path = row.storedFile?.path, !contradicts(row, entries.video(slot))
        else { return false }
        let course = Int(slot.course)
        return isThere(path, of: course)
            && (partPaths[row.id] ?? []).allSatisfy { !$0.isToBeReplaced && isThere($0.path, of: course) }
    }

    /// Whether the stem is the one of the layout. Names are computed only if they can have changed.
    func isNamedRight(_ row: ScannedDownload, _ number: Int, _ slot: CatalogEntries.Slot) -> Bool {
        if let video = register?.videos[number] { return row.equals(.stem, video.stem) }
        let course = Int(slot.course)
        guard folders.isLaidOutAsBefore[course] else { return false }
        let layout = folders.layouts[course]
        // A trailing bracket may be an appended id, and the number of a title may be left out now, or have been.
        if layout.namesByTitleAndNumber, row.raw(.stem)?.last != UInt8(ascii: "]"),
            !entries.video(slot).hasNumberInTitle
        {
            return row.isDirectly(in: folders.folder(slot), .stem)
        }
        return row.equals(.stem, place(number).path)
    }

    /// The actual stem of a finished file, if somebody else's file was in its place when it arrived, and no longer is.
    mutating func displacedStem(_ row: ScannedDownload, _ slot: CatalogEntries.Slot) -> String? {
        guard let stem = row.raw(.stem), let path = row.raw(.path), path.count > stem.count + 2,
            path[stem.count] == UInt8(ascii: " "), path[stem.count + 1] == UInt8(ascii: "["),
            let file = row.storedFile?.path, let planned = row.string(.stem), file.hasPrefix(planned)
        else { return nil }
        let whole = LibraryPathParts.split(file).name
        let end = whole.lastIndex(of: ".").map { String(whole[$0...]) } ?? ""
        let real = String(file.dropLast(end.count))
        let (folder, name) = LibraryPathParts.split(real)
        let plain = LibraryPathParts.split(planned)
        guard folder == plain.folder,
            LibraryName.isSame(name, as: plain.name, id: entries.video(slot).id)
                || LibraryName.isNumbered(name, as: plain.name),
            isThere(file, of: Int(slot.course)), !isThere(planned + end, of: Int(slot.course))
        else { return nil }
        return real
    }

    /// The catalog's size or SHA-256 that the file contradicts. If something else was made from the download, that was
    /// compared then.
    func contradicts(_ row: ScannedDownload, _ video: Video) -> Bool {
        let isOfOtherSize = video.size.map { row.integer(.size) != $0 } ?? false
        let isOfOtherChecksum =
            video.checksums.map { wanted in
                row.string(.checksums).flatMap(PublishedChecksums.init(text:))?.contradiction(to: wanted) != nil
            } ?? false
        guard
            isOfOtherSize || isOfOtherChecksum
                || video.withSHA256Bytes({ $0 != nil && !row.isNull(.sha256) && !row.equals(.sha256, $0) })
        else { return false }
        return row.kind?.keepsBytes ?? true
    }

    /// The row after the start of a run; in a dry run none has begun.
    func settled(_ row: ScannedDownload) -> RowStatus { row.status.recovered(at: now).status }

    /// Whether a finished video's file exists.
    mutating func isThere(_ row: ScannedDownload, _ slot: CatalogEntries.Slot) -> Bool {
        let course = Int(slot.course)
        tallies[course].finished += 1
        if let path = row.raw(.path), library.isListed(path) { return true }
        // A damaged path has no file.
        guard let path = row.storedFile?.path else { return false }
        guard !isThere(path, of: course) else { return true }
        tallies[course].lost += 1
        if tallies[course].example.isEmpty { tallies[course].example = path }
        return false
    }

    /// Whether a file of a course exists; also true if that is unknown, which holds the course.
    mutating func isThere(_ path: String, of course: Int) -> Bool {
        do throws(LibraryError) { return try library.exists(path) } catch {
            unreadable[course] = unreadable[course] ?? error
            return true
        }
    }

    // MARK: values

    mutating func fields(_ number: Int, stem: String) -> CatalogFields {
        let slot = entries.slots[number]
        let numbers = numbers[number]
        let video = entries.video(slot)
        return CatalogFields(
            chapter: entries.chapter(slot)?.id, title: video.title, position: Int(slot.video) + 1,
            ordinal: Int64(slot.ordinal), provider: video.provider.name, source: entries.source(video),
            priority: video.priority, extras: CatalogEntries.extras(video), stem: stem, expectedSize: video.size,
            expectedSHA256: video.checksum, number: numbers.number, numberInCourse: numbers.index,
            keepsNumber: numbers.keepsNumber)
    }

    mutating func update(_ number: Int, _ row: Row, stem: String) {
        let fields = fields(number, stem: stem)
        result.changes.updated.append(.init(id: row.id, fields: fields, sourceChanged: row.sourceChanged))
    }

    mutating func want(_ number: Int, _ row: Row, stem: String) {
        guard !namesOnly else { return }
        guard row.wanted || (row.state == .finished && (!row.hasExtras || due[row.id] != nil)) else { return }
        var wanted = wanted(number, row)
        wanted.stem = stem
        if row.wanted {
            result.wanted.append(wanted)
            if row.hasPartial { resumable[row.id] = row.sourceChanged }
        } else {
            // The video exists; some of its sidecars are missing.
            if let extras = wanted.extras { result.sidecarGroups.append((wanted, extras)) }
            ask(wanted)
        }
    }

    /// Its provider is asked, unless the catalog itself names all missing sidecars.
    private mutating func ask(_ wanted: WantedDownload) {
        guard let due = due[wanted.id] else { return }
        let catalogs = Set(SidecarPlan.wantedSidecars(of: wanted).compactMap(\.rowName))
        guard !due.allSatisfy({ catalogs.contains($0.name) }) else { return }
        result.changes.retried += due.filter { !$0.isDue(at: now) }
        var asked = wanted
        asked.failedRuns = due.map(\.failedRuns).max() ?? 0
        result.asked.append(asked)
    }

    mutating func wanted(_ number: Int, _ row: Row) -> WantedDownload {
        var wanted = entries.wanted(number, row.id, stem: row.stem)
        if wanted.video.settings.streams != .main { wanted.viewNames = viewNames(number) }
        wanted.priority = row.priorityOverride ?? wanted.priority
        wanted.oldFile = row.oldFile
        wanted.retryAt = row.retryAt
        wanted.failedRuns = row.failedRuns
        wanted.isNew = row.isNew
        wanted.isNotReady = row.isNotReady
        if let begins = wanted.video.availableAt {
            let isAvailable = begins <= now.timeIntervalSince1970
            // It may be there earlier than its provider once said.
            if isAvailable, wanted.isNotReady { wanted.retryAt = nil }
            wanted.isNotReady = wanted.isNotReady || !isAvailable
        }
        wanted.hasArrived = row.hasArrived
        if row.hasExtras { wanted.extras = nil }
        return wanted
    }

    func reference(_ slot: CatalogEntries.Slot) -> VideoReference { entries.reference(slot) }

    /// Adds the state's record of partials.
    mutating func resume() throws {
        guard !resumable.isEmpty else { return }
        let records = Dictionary(
            try store.downloads.records(Array(resumable.keys)).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        for index in result.wanted.indices {
            let id = result.wanted[index].id
            guard let record = records[id] else { continue }
            var resume = ResumeRecord(record)
            if resumable[id] == true {
                resume.sourceChanged(hasChecksum: result.wanted[index].video.sha256 != nil)
            }
            result.wanted[index].resume = resume
        }
    }
}

extension ScannedDownload {
    /// Whether it has a file of this source, whatever views that chooses.
    fileprivate func hasFile(ofViewsOf source: SourceDigest) -> Bool {
        !isNull(.path) && (digest(.fileSource) as SourceDigest?)?.isSameBesidesViews(as: source) == true
    }

    /// Whether the cause of its failure may be gone; true if unknown.
    fileprivate var mayPass: Bool {
        string(.errorKind).flatMap { DownloadError.Kind(rawValue: $0) }?.mayPass ?? true
    }
}
