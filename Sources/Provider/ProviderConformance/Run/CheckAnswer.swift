import Foundation
import ProviderHost
import ProviderKit

/// The answer to one request, or the reason why there is none.
struct CheckAnswer: Sendable, PrintsRedacted {
    /// The lines, which are made fit to be shown only if a check fails.
    var lines: WireLines
    /// The decoded answer; nil if there is none, or the method isn't the protocol's.
    var reply: AnswerLine.Reply?
    /// The answer as it came.
    var raw: [String: JSONValue]?
    /// Why there is no answer.
    var silence: ConformanceFault?
    /// From the request to the answer.
    var duration: Duration

    /// The lines, as they may be shown.
    var exchange: Exchange { lines.exchange }

    /// The resolution, if it is one, valid or not.
    var resolution: Resolution? { if case .resolution(let resolution) = reply { resolution } else { nil } }
    var listing: Listing? { if case .listing(let listing) = reply { listing } else { nil } }
    var courses: CourseList? { if case .courses(let list) = reply { list } else { nil } }
    var recognition: Recognition? { if case .recognition(let answer) = reply { answer } else { nil } }
    var error: ProviderError? { if case .error(let error) = reply { error } else { nil } }

    /// The mistake in the answer: missing, in another form than the protocol's, or with impossible values.
    var fault: ConformanceFault? {
        if let silence { return silence }
        switch reply {
        case .wrong(let reason, _): return .answer(reason)
        case .resolution(let resolution):
            return (ResolutionCheck.fault(in: resolution) ?? ResolutionCheck.missingURL(in: resolution)).map {
                .answer($0)
            }
        case .listing(let listing): return ListingCheck.fault(in: listing).map { .answer($0) }
        case .courses(let list): return CourseListCheck.fault(in: list).map { .answer($0) }
        case .recognition(let answer): return RecognitionCheck.fault(in: answer).map { .answer($0) }
        case .login(let login): return LoginCheck.fault(in: login).map { .answer($0) }
        case .error, nil: return nil
        }
    }

    /// New credentials in the answer, whatever its form.
    var renewed: JSONValue? {
        guard let found = raw?["result"]?["credentials"] ?? raw?["error"]?["data"]?["credentials"] else { return nil }
        // A bare `nil` would be JSON's null.
        return found == .null ? Optional.none : found
    }

    /// The fault with the lines.
    var failure: CheckFailure? { fault.map { CheckFailure($0, exchange) } }

    /// What makes a resolution another one.
    var signature: [String]? {
        resolution.map { resolution in
            [resolution.url, resolution.expiresAt.map { "\($0)" } ?? ""] + resolution.everyToken.map(\.value)
                + (resolution.tracks + resolution.streams.flatMap(\.tracks)).map(\.url)
                + resolution.streams.map(\.url)
                + resolution.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        }
    }
}
