import Foundation
import ProviderHost
import ProviderKit

extension CheckContext {
    /// The course's parameters with the manifest's defaults.
    private func filled(_ own: [String: JSONValue]) -> [String: JSONValue] {
        var parameters = settings.parameters.merging(own) { $1 }
        plugin.manifest.parameters.fillDefaults(&parameters)
        return parameters
    }

    private func common() -> [String: JSONValue] {
        [
            "user": "anna", "now": .string(Timestamp.text(now)), "credentials": credentials ?? .null,
            "settings": ["user_agent": "coursefetch"], "data_folder": .string(dataFolder),
        ]
    }

    /// Asks for a video as a sync does.
    func resolve(_ sample: SampleVideo) -> CheckRequest {
        var params = common()
        params["video"] = [
            "id": .string(sample.id), "title": .string(sample.id), "parameters": .object(filled(sample.parameters)),
        ]
        params["course"] = ["id": "course-1", "title": "A course"]
        params["chapter"] = ["id": "chapter-1", "title": "A chapter"]
        params["quality"] = ["best"]
        params["previous"] = .null
        return CheckRequest("resolve", params)
    }

    /// Asks for a page of the course.
    func list(cursor: String? = nil, known: String? = nil) -> CheckRequest {
        var params = common()
        params["course"] = ["id": "course-1", "title": "A course", "parameters": .object(filled([:]))]
        params["cursor"] = cursor.map { .string($0) } ?? .null
        params["known"] = known.map { .string($0) } ?? .null
        return CheckRequest("list", params)
    }

    /// Asks for a page of the user's courses.
    func courses(cursor: String? = nil) -> CheckRequest {
        var params = common()
        params["parameters"] = .object(filled([:]))
        params["cursor"] = cursor.map { .string($0) } ?? .null
        return CheckRequest("courses", params)
    }

    /// Asks what is at an address.
    func recognise(_ address: String) -> CheckRequest {
        var params = common()
        params["address"] = .string(address)
        return CheckRequest("recognise", params)
    }

    /// Asks for credentials.
    func login(_ secrets: [String: String]) -> CheckRequest {
        var params = common()
        params["credentials"] = .null
        params["parameters"] = .object(filled([:]))
        params["secrets"] = .object(secrets.mapValues { .string($0) })
        return CheckRequest("login", params)
    }

    /// Asks for a method that nobody has.
    func ping() -> CheckRequest {
        CheckRequest(
            "ping",
            ["user": "anna", "now": .string(Timestamp.text(now)), "credentials": .null, "settings": .object([:])])
    }

    /// A request for a resolved sample, else for any.
    var usual: CheckRequest { resolved.first?.request ?? resolve(samples.first ?? SampleVideo.madeUp[0]) }

    /// Whether a request is asked of a host over a network that isn't replayed.
    var asksLiveHost: Bool {
        settings.parameters["endpoint"] != nil && host == nil && !settings.isSelfContained
    }

    /// The reason why an error says nothing about the plugin; nil if it does.
    func excuse(_ error: ProviderError) -> SkipReason? {
        guard [.rateLimited, .unavailable, .notReady].contains(error.kind) else { return nil }
        return .hostRefused(
            kind: error.kind.rawValue, message: secrets.redactor.redact(error.message, limit: 300))
    }

    /// Why there is nothing to compare: no sample was resolved.
    var nothingResolved: SkipReason {
        .nothingResolved(
            kind: refusal?.kind.rawValue ?? "", message: secrets.redactor.redact(refusal?.message ?? "", limit: 300))
    }
}
