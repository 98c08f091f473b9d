import FileSystem
import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `moving/<plan>.collected`: all files of a plan have been collected, and are listed here.
///
/// Its appearance is the instant between the two steps of a plan. Before it, a file at a `from` still has to be
/// collected; after it, a file there has been placed by another move of the plan.
struct MoveMarker: Equatable {
    /// The result of one move in the first step.
    enum Collected: Equatable {
        /// In `moving/`; size and time identify it in its place after a kill.
        case file(size: Int64, modified: Int64)
        case missing
        case stayed
    }

    /// By move id.
    var collected: [String: Collected] = [:]

    private static let suffix = ".collected"

    static func fileName(of plan: String) -> String { plan + suffix }

    static func isMark(_ fileName: String) -> Bool { fileName.hasSuffix(suffix) || fileName.hasSuffix(suffix + ".new") }

    /// The text form: a line `<id> <size> <time>`, `<id> missing` or `<id> stayed` for each move, and `end`.
    var text: String {
        var text = ""
        for (id, entry) in collected.sorted(by: { $0.key < $1.key }) {
            switch entry {
            case .file(let size, let modified): text += "\(id) \(size) \(modified)\n"
            case .missing: text += "\(id) missing\n"
            case .stayed: text += "\(id) stayed\n"
            }
        }
        return text + "end\n"
    }

    init() {}

    /// Nil for incomplete text.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, lines[lines.count - 1].isEmpty, lines[lines.count - 2] == "end" else { return nil }
        for line in lines.dropLast(2) {
            let words = line.split(separator: " ")
            if words.count == 3, let size = Int64(words[1]), let modified = Int64(words[2]) {
                collected[String(words[0])] = .file(size: size, modified: modified)
            } else if words.count == 2, words[1] == "missing" {
                collected[String(words[0])] = .missing
            } else if words.count == 2, words[1] == "stayed" {
                collected[String(words[0])] = .stayed
            } else {
                return nil
            }
        }
    }

    /// The mark of a plan; nil if there is none.
    static func read(plan: String, in moving: PrivateFolder) throws(LibraryError) -> MoveMarker? {
        do {
            let file = try moving.handle.openFile(fileName(of: plan), O_RDONLY)
            guard let bytes = try file.content(upTo: 1 << 30),
                let text = String(validating: bytes, as: UTF8.self), let mark = MoveMarker(text: text)
            else { throw Errno.invalidArgument }
            return mark
        } catch let error as Errno {
            if error == .noSuchFileOrDirectory { return nil }
            throw .system(.read, path: moving.path(of: fileName(of: plan)), error)
        } catch {
            throw .badPath(moving.path(of: fileName(of: plan)))
        }
    }

    /// Writes the mark; durable on return, with every name in `moving/`.
    func write(plan: String, in moving: PrivateFolder) throws(LibraryError) {
        do {
            let draft = try DraftFile(of: Self.fileName(of: plan), in: moving.handle)
            try draft.write(Data(text.utf8))
            try draft.place()
        } catch {
            throw .system(.write, path: moving.path(of: Self.fileName(of: plan)), error)
        }
    }
}
