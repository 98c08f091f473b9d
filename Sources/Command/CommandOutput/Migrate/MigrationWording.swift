import DownloadStore
import MediaLibrary
package import Migration
import MigrationSources
package import SyncFacts

/// The words for what became of a record: the problem, the next step, the name for programs.
extension MigratedRecord {
    /// The sentence without its next step; nil for a record that is simply in.
    package var problem: String? {
        if let reason { return reason.sentence(self) }
        return switch code {
        case .added, .duplicate: nil
        case .invalidRecord: "it can't be used"
        case .uncompleted: "the other downloader hadn't finished it"
        case .fileLost: "its file isn't in the source"
        case .notReady: "something is needed first"
        case .failed: "it couldn't be taken over"
        }
    }

    /// The sentence with its next step, for a program that shows it.
    package var message: String? {
        guard let problem else { return nil }
        return code.isIn ? problem : remedy.map { "\(problem); \($0.sentence)" } ?? problem
    }

    /// The next step; nil if there is none but to run it again.
    var remedy: MigrationRemedy? {
        guard !code.isIn else { return nil }
        switch reason {
        case .hold(.preparing): return .requeue
        case .hold(.ofUser(let user)): return .otherUser(user)
        case .hold(.unnamed), .ambiguous: return .map
        case .noVideo: return .mapOrCatalog
        case .badMapEntry: return .correctMap
        case .courseHeld: return .refetchLost(course: reference?.course)
        case .cancelled: return reference.map { .retry(Selector($0)) } ?? .requeue
        case .otherFileSystem: return .copy
        case .fault(.repeated), .otherBytes, .sameVideo, .hasMore: return .leave
        case .fault: return reference == nil ? .correctRecord : isQueued ? .sync : .requeue
        case .library(let error): return error.isFull ? .room : .again
        case .source: return .again
        case .missingFile, .wrongSize, .wrongChecksum, .partial, .seen, nil: break
        }
        return switch code {
        case .uncompleted, .fileLost: isQueued ? .sync : .requeue
        case .invalidRecord: .correctRecord
        case .notReady, .failed: .again
        case .added, .duplicate: nil
        }
    }
}

extension MigrationReason {
    /// The sentence, about the record that has it.
    func sentence(_ record: MigratedRecord) -> String {
        switch self {
        case .fault(let fault): fault.sentence
        case .hold(let hold): hold.sentence
        case .noVideo: "no catalog has it"
        case .ambiguous: "it matches several videos of the catalogs"
        case .badMapEntry(let entry): "the map points to '\(entry)', which is in no catalog"
        case .courseHeld: "files of its course are missing from the library, or its folder can't be read"
        case .cancelled: "you have cancelled this video"
        case .seen:
            record.reference == nil
                ? "you have seen it, and no catalog has it"
                : "you have seen it: no sync downloads it until you retry it"
        case .missingFile(let path): "its file '\(path)' isn't in the source"
        case .wrongSize(let found, let expected):
            "its file has \(Wording.grouped(Int(found))) bytes instead of \(Wording.grouped(Int(expected)))"
        case .wrongChecksum: "its file doesn't have the SHA-256 that it should have"
        case .otherBytes: "the library has a different file of this video and keeps it"
        case .sameVideo: "an earlier record already matched this video"
        case .hasMore: "the library already has more of this video"
        case .partial(0): "none of its bytes are kept: nothing can confirm them"
        case .partial(let bytes):
            "\(Wording.size(bytes)) are kept until the next sync has compared them with the server"
        case .otherFileSystem: "--link can't reach another disk"
        case .library(let error): error.sentence
        case .source(let problem): problem.sentence
        }
    }

    /// Its name for programs.
    package var word: String {
        switch self {
        case .fault(let fault): fault.word
        case .hold(let hold): hold.word
        case .noVideo: "no_video"
        case .ambiguous: "ambiguous"
        case .badMapEntry: "bad_map_entry"
        case .courseHeld: "course_held"
        case .cancelled: "cancelled"
        case .seen: "seen"
        case .missingFile: "missing_file"
        case .wrongSize: "wrong_size"
        case .wrongChecksum: "wrong_checksum"
        case .otherBytes: "other_bytes"
        case .sameVideo: "same_video"
        case .hasMore: "has_more"
        case .partial: "partial"
        case .otherFileSystem: "other_file_system"
        case .library: "library"
        case .source: "source"
        }
    }

    /// What records with this reason have in common, after their number.
    var heading: String {
        switch self {
        case .fault(.missing): "a necessary field is missing"
        case .fault(.wrongType), .fault(.unknownValue): "a field has a wrong value"
        case .fault(.badPath): "its path leads out of the source, or is missing"
        case .fault(.unreadable): "the record's own file can't be used"
        case .fault(.repeated): "the source has the record twice"
        case .hold(.preparing): "the other downloader's server was still preparing it"
        case .hold(.ofUser): "it belongs to another user of the other downloader"
        case .hold(.unnamed): "the source doesn't say which video it is"
        case .badMapEntry: "the map leads to no video of the catalogs"
        case .missingFile: "the file isn't in the source"
        case .wrongSize: "the file doesn't have the right size"
        case .wrongChecksum: "the file doesn't have the right SHA-256"
        case .seen: "you have seen it"
        case .partial: "it isn't finished, or only its server can confirm that it is"
        case .library: "the library couldn't take it"
        case .source: "the source couldn't be read"
        case .noVideo, .ambiguous, .courseHeld, .cancelled, .otherBytes, .sameVideo, .hasMore, .otherFileSystem:
            sentence(MigratedRecord(name: "", code: .failed))
        }
    }
}

extension MigrationProblem {
    /// Why there was no migration, remedies included.
    package var message: String {
        switch self {
        case .source(let problem): problem.sentence
        case .map(.badFormat(let path, .line(let line))):
            """
            \(path):\(line): a map has lines such as 'name: course/video' (in CSV: name,course/video), and each name \
            once
            """
        case .map(let problem): "--map: \(problem.sentence)"
        case .overlapping:
            """
            the source contains the library, or is inside a library; nothing was changed. Name a folder outside of \
            the library that has only the other downloader's files
            """
        case .refused(let refusal): refusal.message
        }
    }

    /// Its condition for the exit code.
    package var condition: SyncCondition {
        switch self {
        case .refused(let refusal): refusal.condition
        case .overlapping: .usage
        case .source(.missing), .source(.unreadable), .map(.missing), .map(.unreadable): .unreadableCatalog
        case .source, .map: .invalidCatalog
        }
    }
}
