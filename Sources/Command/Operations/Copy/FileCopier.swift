import FileSystem
import MediaLibrary
import SystemPackage

/// Copies one file at a time into a copy of a library.
///
/// Only a file that is the recorded one when it has been read counts. It is written as a partial of the copy, flushed,
/// read back, and then gets its name, which never replaces anything but the copy's own file. What is there of the
/// partial, after a kill or a stop, is compared with the file, and isn't written again.
///
/// A thrown error ends the copy as a whole: it was stopped, or the disk of the copy or the library is full or gone.
struct FileCopier {
    enum Outcome {
        /// It is in its place, and was written or not.
        case there(FileRecord, isNew: Bool)
        case problem(LibraryCopy.Problem.Kind)
    }

    let target: CopyTarget
    let verifies: Bool
    let shouldStop: () -> Bool
    /// Gets the number of bytes of the file that are done.
    let report: (Int64) -> Void

    private var copy: LibraryFolder { target.library }

    /// That of a file to be at this path: always the same, so that a later run finds it.
    private func partialName(of path: String) -> PartialName {
        PartialName(download: 0, sidecar: "copy-\(CopiedChecksums.sha256(of: Array(path.utf8)).hex.prefix(24))")
    }

    /// Removes what is left of files that aren't wanted any more.
    func removePartials() throws(LibraryError) {
        for name in try copy.partials.all().keys where name.download == 0 { try copy.partials.remove(name) }
    }

    func copy(_ file: PlannedFile, from source: LibraryFolder) throws(LibraryError) -> Outcome {
        do throws(LibraryError) {
            if let record = try present(file) { return .there(record, isNew: false) }
        } catch {
            return try .problem(problem(error, at: file.to))
        }
        switch try open(file, in: source) {
        case .problem(let problem): return .problem(problem)
        case .file(let open): return try write(file, open, from: source)
        }
    }

    /// Puts a file with this content in its place; nil if something that isn't the copy's is there.
    func place(_ bytes: [UInt8], at path: String) throws(LibraryError) -> FileRecord? {
        let sha256 = CopiedChecksums.sha256(of: bytes)
        let record = FileRecord(size: Int64(bytes.count), modified: nil, sha256: sha256)
        do throws(LibraryError) {
            if let there = try proven(path, record) { return there }
            let partial = try copy.partials.open(partialName(of: path))
            try partial.write(bytes)
            if partial.size > bytes.count { try partial.truncate(to: record.size) }
            try partial.flush()
            return try put(at: path, sha256)
        } catch {
            _ = try problem(error, at: path)
            return nil
        }
    }

    // MARK: what is there

    /// The record of the file if it is in its place, or was under another name; nil if it has to be written.
    private func present(_ file: PlannedFile) throws(LibraryError) -> FileRecord? {
        let facts = try copy.files.facts(of: file.to)
        if let known = file.known {
            if let facts, known.path == file.to, facts.size == known.record.size {
                return try proven(file.to, known.record)
            }
            if facts == nil, known.path != file.to, let record = try proven(known.path, known.record) {
                return try move(known.path, to: file.to) ? record : nil
            }
        }
        guard let facts, let sha256 = file.record.sha256, facts.size == file.record.size else { return nil }
        return try proven(file.to, FileRecord(size: facts.size, modified: nil, sha256: sha256))
    }

    private func proven(_ path: String, _ record: FileRecord) throws(LibraryError) -> FileRecord? {
        guard case .ours(let facts) = try copy.files.proves(path, is: record, shouldStop: shouldStop) else {
            return nil
        }
        return FileRecord(size: facts.size, modified: facts.modified, sha256: record.sha256)
    }

    /// False if something else is there.
    private func move(_ path: String, to newPath: String) throws(LibraryError) -> Bool {
        let partial = partialName(of: newPath)
        try copy.partials.remove(partial)
        try copy.placing.takeBack(partial, from: path)
        guard case .placed = try copy.placing.put(partial, at: newPath) else { return false }
        try copy.folders.flushNames(of: [path, newPath])
        copy.folders.removeEmpty(from: LibraryPathParts.split(path).folder)
        return true
    }

    // MARK: reading

    private enum Opened {
        case file(OpenFile)
        case problem(LibraryCopy.Problem.Kind)
    }

    /// Throws if the whole library is missing.
    private func open(_ file: PlannedFile, in source: LibraryFolder) throws(LibraryError) -> Opened {
        do throws(LibraryError) {
            if let facts = try source.files.facts(of: file.from), let open = try source.files.open(file.from) {
                let isRecorded = file.record.sha256 != nil || file.record.modified == facts.modified
                return facts.size == file.record.size && isRecorded ? .file(open) : .problem(.changed)
            }
        } catch {
            if let loss = source.loss() { throw loss }
            return .problem(.unreadable(error))
        }
        if let loss = source.loss() { throw loss }
        return .problem(.missing)
    }

    // MARK: writing

    private func write(
        _ file: PlannedFile, _ open: OpenFile, from source: LibraryFolder
    ) throws(LibraryError) -> Outcome {
        do throws(LibraryError) {
            let partial = try copy.partials.open(partialName(of: file.to))
            let before = try? open.facts()
            var sha256: Checksum
            switch try fill(partial, from: open) {
            case .success(let digest): sha256 = digest
            case .failure(let error):
                if let loss = source.loss() { throw loss }
                return .problem(.unreadable(.system(.read, path: file.from, error)))
            }
            guard let before, before == (try? open.facts()), sha256 == file.record.sha256 ?? sha256 else {
                return .problem(.changed)
            }
            // Not every driver of a stick's file system can.
            if partial.size > before.size { try partial.truncate(to: before.size) }
            if let time = file.time { partial.setTime(time) }
            try partial.flush()
            if verifies {
                let size = before.size
                let read = try partial.digestOnDisk(shouldStop: shouldStop) { report((size + $0) / 2) }
                if read != sha256 {
                    try copy.partials.remove(partial.name)
                    return .problem(.notAsWritten)
                }
            }
            guard let record = try put(at: file.to, sha256) else { return .problem(.inTheWay) }
            return .there(record, isNew: true)
        } catch {
            return try .problem(problem(error, at: file.to))
        }
    }

    /// Makes the partial begin with the bytes of the file. Returns the error of the file, and throws that of the copy.
    private func fill(
        _ partial: OpenPartial, from open: OpenFile
    ) throws(LibraryError) -> Result<Checksum, Errno> {
        var failure: LibraryError?
        var count: Int64 = 0
        var isEqual = true
        do throws(Errno) {
            let sha256 = try FileCopy.digest(of: open, shouldStop: shouldStop) { block throws(Errno) in
                do throws(LibraryError) {
                    if count + Int64(block.count) > partial.size { isEqual = false }
                    if isEqual { isEqual = try partial.has(block, at: count) }
                    if !isEqual { try partial.write(block, at: count) }
                } catch {
                    failure = error
                    throw Errno.canceled
                }
                count += Int64(block.count)
                // So that the flush at the end isn't one long wait.
                if !isEqual, count % Self.writeback == 0 { partial.startWriteback() }
                report(verifies ? count / 2 : count)
            }
            return .success(sha256)
        } catch {
            if let failure { throw failure }
            if error == .canceled { throw .stopped }
            return .failure(error)
        }
    }

    private static let writeback: Int64 = 8 << 20

    /// Gives the partial its name; nil if something that isn't the copy's is there.
    private func put(at path: String, _ sha256: Checksum) throws(LibraryError) -> FileRecord? {
        if let there = try copy.files.facts(of: path) {
            guard let proof = try target.proof(of: path, there, shouldStop: shouldStop) else {
                return try isSame(path, there, sha256)
            }
            if case .notOurs = try copy.placing.replace(path, with: partialName(of: path), record: proof) { return nil }
        } else if case .exists = try copy.placing.put(partialName(of: path), at: path) {
            return nil
        }
        try copy.folders.flushNames(of: [path])
        guard let facts = try copy.files.facts(of: path) else { return nil }
        return FileRecord(size: facts.size, modified: facts.modified, sha256: sha256)
    }

    /// The same bytes, placed by a run that was killed, or by somebody.
    private func isSame(_ path: String, _ facts: FileFacts, _ sha256: Checksum) throws(LibraryError) -> FileRecord? {
        let record = FileRecord(size: facts.size, modified: nil, sha256: sha256)
        guard case .ours(let now) = try copy.files.proves(path, is: record, shouldStop: shouldStop),
            try copy.partials.facts(of: partialName(of: path))?.size == now.size
        else { return nil }
        try copy.partials.remove(partialName(of: path))
        return FileRecord(size: now.size, modified: now.modified, sha256: sha256)
    }

    /// What an error of the copy means for one file; throws it if it ends the copy.
    private func problem(
        _ error: LibraryError, at path: String
    ) throws(LibraryError) -> LibraryCopy.Problem.Kind {
        switch error {
        case .leadsOut, .notAFile, .notAFolder: return .inTheWay
        case .system(_, _, .fileTooLarge):
            try? copy.partials.remove(partialName(of: path))
            return .tooLarge
        case .system(_, _, .fileNameTooLong), .system(_, _, .invalidArgument), .system(_, _, .illegalByteSequence):
            return .unwritable(error)
        case .stopped: throw error
        default: throw copy.loss() ?? error
        }
    }
}
