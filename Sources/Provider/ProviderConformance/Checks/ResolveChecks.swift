import Foundation
import ProviderHost
import ProviderKit

/// Answers to `resolve`, whatever is in the request.
struct ResolveChecks {
    /// The longest id of a request, in bytes.
    private static let longestID = 64 << 10
    private static let urlBound = 8192
    /// What `quality` may be, in the forms of the protocol.
    private static let qualities: [JSONValue] = [
        ["worst"], ["audio"], ["1080p", "720p"], ["2500k"], ["4320p"], ["audio", "360p", "best"],
    ]

    let context: CheckContext

    /// Whether samples are resolved with possible values, and with those that their fixtures expect.
    func resolution() async -> (resolution: CheckVerdict, expected: CheckVerdict) {
        var failures: [CheckFailure] = []
        var surprises: [CheckFailure] = []
        for sample in context.samples {
            let request = context.resolve(sample)
            let (answered, isMissing) = await context.askRecorded(request)
            if let failure = answered.failure {
                failures.append(failure)
            } else if let error = answered.error {
                context.refusal = error
                if !isMissing, let failure = unexpected(error, sample, answered) { failures.append(failure) }
            } else if answered.resolution != nil {
                context.resolved.append((request, answered))
            }
            if answered.fault == nil, !isMissing { surprises += surprise(sample, answered) }
            if context.isSilent { break }
        }
        return (verdict(failures), verdict(ofExpected: surprises))
    }

    private func verdict(_ failures: [CheckFailure]) -> CheckVerdict {
        if !failures.isEmpty { return CheckVerdict(failures) }
        return context.resolved.isEmpty && !context.samples.contains { $0.expectation?.isRefusal == true }
            ? .skipped(context.nothingResolved) : .passed
    }

    private func verdict(ofExpected surprises: [CheckFailure]) -> CheckVerdict {
        context.samples.contains { $0.expectation != nil } ? CheckVerdict(surprises) : .skipped(.nothingExpected)
    }

    /// An error for a video of the fixtures, which have it for an answer.
    private func unexpected(_ error: ProviderError, _ sample: SampleVideo, _ answered: CheckAnswer) -> CheckFailure? {
        guard !context.settings.videos.isEmpty, sample.expectation == nil, context.excuse(error) == nil else {
            return nil
        }
        return CheckFailure(.refused(kind: error.kind.rawValue, message: error.message), answered.exchange)
    }

    private func surprise(_ sample: SampleVideo, _ answered: CheckAnswer) -> [CheckFailure] {
        var expectation = sample.expectation
        // Who expects a value expects no error.
        if expectation != nil, expectation?.isRefusal == false { expectation?.values[Expectation.error] = .null }
        guard let difference = expectation?.difference(from: answered) else { return [] }
        let redactor = context.secrets.redactor
        let fault = ConformanceFault.unexpected(
            video: sample.id, key: difference.key, expected: redactor.redact(difference.expected, limit: 300),
            found: difference.found.map { redactor.redact($0, limit: 300) })
        return [CheckFailure(fault, answered.exchange)]
    }

    /// Whether each form of `quality` has a valid answer.
    func quality() async -> CheckVerdict {
        guard let request = context.resolved.first?.request else { return .skipped(context.nothingResolved) }
        for quality in Self.qualities {
            // Another quality may be another request to the host, which isn't recorded.
            _ = context.host?.takeMissing()
            let answered = await context.ask(request.with("quality", quality))
            let isMissing = context.host?.takeMissing().isEmpty == false
            if let failure = answered.failure { return .failed([failure]) }
            guard let error = answered.error, !isMissing else { continue }
            if let reason = context.excuse(error) { return .skipped(reason) }
            return .failed(.refused(kind: error.kind.rawValue, message: error.message), answered.exchange)
        }
        return .passed
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
            if let reason = context.excuse(error) { return .skipped(reason) }
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
        return CheckVerdict(failures)
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
        CheckVerdict([answered.failure].compactMap(\.self))
    }
}
