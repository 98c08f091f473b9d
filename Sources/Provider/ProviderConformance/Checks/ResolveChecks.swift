import Foundation
import ProviderHost
import ProviderKit

/// Answers to `resolve`, whatever is in the request.
struct ResolveChecks {
    /// The longest id of a request, in bytes.
    private static let longestID = 64 << 10
    private static let urlBound = 8192
    private static let sampleBound = 5

    let context: CheckContext

    /// Whether samples are resolved with possible values.
    func resolution() async -> CheckVerdict {
        var failures: [CheckFailure] = []
        for sample in context.samples.prefix(Self.sampleBound) {
            let request = context.resolve(sample)
            let answered = await context.ask(request)
            if let failure = answered.failure {
                failures.append(failure)
            } else if answered.resolution != nil {
                context.resolved.append((request, answered))
            } else if let error = answered.error {
                context.refusal = error
            }
            if context.isSilent { break }
        }
        if !failures.isEmpty { return CheckVerdict(context.news(failures)) }
        return context.resolved.isEmpty ? .skipped(context.nothingResolved) : .passed
    }

    /// Whether what may be null may be null.
    func nulls() async -> CheckVerdict {
        let request = context.usual.with("chapter", .null).with("credentials", .null).with("data_folder", .null)
            .with("settings", .object([:]))
        return verdict(await context.ask(request))
    }

    /// Whether keys of later versions are ignored.
    func unknownKeys() async -> CheckVerdict {
        var request = context.usual
        request.extra = ["x_later": ["a": [1, 2.5, nil, true]]]
        for key in ["video", "course", "settings"] {
            let object = request.params[key]?.object ?? [:]
            request.params[key] = .object(object.merging(["x_later": "1"]) { $1 })
        }
        request.params["x_later"] = ["deep": ["deeper": []]]
        let answered = await context.ask(request)
        if answered.fault != nil { return verdict(answered) }
        if !context.resolved.isEmpty, let error = answered.error {
            return .failed(.refused(kind: error.kind.rawValue, message: error.message), answered.exchange)
        }
        return .passed
    }

    /// Whether a line without an id is ignored.
    func linesWithoutID() async -> CheckVerdict {
        let session = context.session()
        let news: [String: JSONValue] = ["jsonrpc": "2.0", "method": "news", "params": ["message": "later versions"]]
        session.write(CheckRequest.line(news) + [0x0A])
        context.nullIDCheck = .linesWithoutID
        defer { context.nullIDCheck = .requestIDs }
        let answered = await context.ask(context.usual)
        // An answer to it may come later than the one to the request.
        _ = await context.ask(context.ping())
        if let noticed = context.noticed[.linesWithoutID] { return CheckVerdict(noticed) }
        return verdict(answered)
    }

    /// Whether ids are any text.
    func oddIDs() async -> CheckVerdict {
        var ids = [
            "two words", " blanks around ", "\"quotes\" '\\backslash\\'", "two\nlines\r\nand\ta tab",
            "a/b/../c?d=e&f#g",
            "100%25 +plus", "$(id) `id` ;&|<>*", "ümläut-ß é-e\u{301}", "right\u{200F}to\u{202E}left\u{2028}",
        ]
        for plane in 0...16 as ClosedRange<UInt32> {
            ids.append(Unicode.Scalar(plane << 16 | 0x0250).map { "plane \(plane): \($0)" } ?? "")
        }
        return await verdict(ofIDs: ids.filter { !$0.isEmpty })
    }

    /// Whether long ids are survived. A URL may become too long by them.
    func longIDs() async -> CheckVerdict {
        let letters = String(repeating: "x", count: Self.longestID)
        let others = String(repeating: "é\u{1F393}", count: Self.longestID / 6)
        return await verdict(ofIDs: [letters, others])
    }

    private func verdict(ofIDs ids: [String]) async -> CheckVerdict {
        var failures: [CheckFailure] = []
        for id in ids {
            let answered = await context.ask(context.usual.video(id))
            if let failure = answered.failure, !isTooLong(answered) { failures.append(failure) }
            // What doesn't answer one won't answer the next, and each of them would be waited for.
            if failures.count == CheckVerdict.bound || answered.silence != nil || context.isSilent { break }
        }
        return CheckVerdict(context.news(failures))
    }

    private func isTooLong(_ answered: CheckAnswer) -> Bool {
        (answered.resolution?.url.utf8.count ?? 0) > Self.urlBound
    }

    /// Whether a line of the longest length is read.
    func longLines() async -> CheckVerdict {
        var request = context.usual
        request.params["x_padding"] = ""
        // An id of one digit more isn't longer than the bound.
        let rest = PluginSession.lineBound - request.line(id: 1_000_000).count
        request.params["x_padding"] = .string(String(repeating: "x", count: max(0, rest)))
        return verdict(await context.ask(request))
    }

    private func verdict(_ answered: CheckAnswer) -> CheckVerdict {
        CheckVerdict(context.news([answered.failure].compactMap(\.self)))
    }
}
