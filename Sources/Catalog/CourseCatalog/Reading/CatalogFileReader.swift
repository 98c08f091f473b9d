import YAMLSource

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads one catalog file, and again if it has changed in the meantime: a truncated YAML file often is valid.
struct CatalogFileReader {
    /// The path to open.
    let path: String
    /// Its name in diagnostics.
    let source: SourceName
    /// The folder that contains it, with links resolved.
    let folder: String
    /// The remaining bounds of the run.
    let limits: YAMLLimits
    /// What is kept of the courses; nil keeps all.
    var part: CatalogPart?
    /// Called when the file has been decoded and before it is checked again; for tests.
    var didDecode: (_ attempt: Int) -> Void = { _ in }

    /// The number of readings after which a file that keeps changing is given up.
    static let attempts = 5

    struct Outcome {
        /// What was decoded.
        var draft = CatalogDraft()
        var mistakes = DiagnosticList()
        /// The reason why the file couldn't be read at all, as the beginning of a sentence.
        var refusal: String?
        /// The file while it was read; nil if that isn't certain.
        var stamp: FileStamp?
        /// The length of the file.
        var bytes = 0
        /// The number of YAML values, aliases expanded.
        var nodes = 0
        /// Estimated bytes of memory of the decoded contents.
        var held = 0
    }

    func read() -> Outcome {
        for attempt in 1...Self.attempts {
            let (outcome, isSettled) = readOnce(attempt)
            if isSettled { return outcome }
        }
        return unreadable("changes while it is being read; try again when it is complete")
    }

    private func readOnce(_ attempt: Int) -> (Outcome, isSettled: Bool) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return (unreadable(errno), true) }
        defer { close(descriptor) }
        var before = stat()
        guard fstat(descriptor, &before) == 0 else { return (unreadable(errno), true) }
        guard before.st_mode & S_IFMT == S_IFREG else {
            let what = before.st_mode & S_IFMT == S_IFDIR ? "is a folder" : "is not a regular file"
            return (unreadable("\(what); a catalog is a file"), true)
        }
        let began = FileStamp.now
        var outcome = decode(descriptor)
        didDecode(attempt)
        var after = stat()
        var named = stat()
        let isSame =
            fstat(descriptor, &after) == 0 && stat(path, &named) == 0 && FileStamp(before) == FileStamp(after)
            && FileStamp(after) == FileStamp(named)
        if isSame { outcome.stamp = FileStamp(after, readAt: began) }
        return (outcome, isSame)
    }

    private func decode(_ descriptor: Int32) -> Outcome {
        let reader = YAMLEventReader(descriptor: descriptor, source: source, limits: limits)
        var decoder = CatalogDecoder(reader: reader, folder: folder, part: part)
        var outcome = Outcome()
        do throws(YAMLStop) {
            try decoder.decode()
        } catch {
            switch decoder.reader.problem {
            case let problem? where problem.byteOffset != nil:
                let text = ExcerptSource.bytes(of: path)
                let found = text.withUnsafeBytes { problem.diagnostic(in: decoder.reader.source, bytes: $0) }
                decoder.reader.mistakes.add(found)
            case let problem?:
                if case .unreadable(let code) = problem.kind { return unreadable(code) }
                decoder.reader.mistakes.error(at: decoder.reader.location(problem.position), problem.message)
            case nil: break
            }
        }
        outcome.mistakes = decoder.reader.mistakes
        outcome.bytes = decoder.reader.bytesRead
        outcome.nodes = decoder.reader.nodeCount
        outcome.held = decoder.reader.heldBytes
        outcome.draft = decoder.takeDraft()
        return outcome
    }

    private func unreadable(_ code: Int32) -> Outcome {
        unreadable("can't be read: \(SystemError(code: code))")
    }

    private func unreadable(_ message: String) -> Outcome {
        Outcome(refusal: message)
    }
}
