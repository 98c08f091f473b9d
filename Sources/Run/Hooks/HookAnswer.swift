import ChildProcess
import TextFormats

/// A command's answer: a JSON object on its standard output, else its exit code.
struct HookAnswer: Equatable {
    enum Verdict: Equatable {
        case accept
        case reject(String?)
        case again(String?)
        /// It is unusable, for this reason.
        case broken(HookProblem)
    }

    var verdict = Verdict.accept
    /// For a request.
    var url: String?
    /// For a request; nil removes a header.
    var headers: [String: String?] = [:]

    /// The exit code that asks for another try: EX_TEMPFAIL of sysexits.h.
    static let againCode: Int32 = 75

    /// - Parameters:
    ///   - output: its complete standard output.
    ///   - complaint: the last line of its standard error.
    ///   - shown: makes a reason safe to show and store.
    init(
        _ ending: BoundedProcess.Ending, output: [UInt8], complaint: String?, _ shown: (String) -> String = { $0 }
    ) {
        let code: Int32
        switch ending {
        case .exited(let exit): code = exit
        case .signaled(let signal):
            verdict = .broken(.signaled(signal))
            return
        case .timedOut:
            verdict = .broken(.timedOut)
            return
        case .notStarted, .notFound:
            verdict = .broken(.notStarted)
            return
        case .cancelled:
            verdict = .broken(.cancelled)
            return
        }
        let text = output.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard text.first == UInt8(ascii: "{") else {
            switch code {
            case 0: verdict = .accept
            case Self.againCode: verdict = .again(complaint)
            default: verdict = .reject(complaint ?? "exit code \(code)")
            }
            return
        }
        let said: Said
        do {
            said = try JSONReader.decode(Said.self, from: text)
        } catch DecodingError.typeMismatch(_, let context) {
            verdict = .broken(.wrongType(context.codingPath.first?.stringValue ?? ""))
            return
        } catch {
            verdict = .broken(.unreadable)
            return
        }
        url = said.url
        headers = said.headers ?? [:]
        switch said.verdict {
        case nil, "accept": verdict = .accept
        case "reject", "refuse": verdict = .reject(said.reason.map(shown) ?? complaint)
        case "retry": verdict = .again(said.reason.map(shown) ?? complaint)
        case let other?: verdict = .broken(.unknownVerdict(other))
        }
    }

    private struct Said: Decodable {
        var verdict: String?
        var reason: String?
        var url: String?
        var headers: [String: String?]?
    }
}

/// The reason why a command's answer is unusable.
package enum HookProblem: Sendable, Equatable {
    case notStarted
    case timedOut
    case signaled(Int32)
    case cancelled
    /// Its output begins as an object and isn't one.
    case unreadable
    /// A field of it has a type that it can't have.
    case wrongType(String)
    case unknownVerdict(String)
    /// It may only judge the file, but has changed it.
    case changedFile
    /// An address that isn't http or https.
    case badURL
    /// A header with a control character in it, such as a line break, or without a name.
    case badHeader(String)
}
