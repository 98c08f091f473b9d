/// The `error` of an answer, as JSON-RPC 2.0 has it.
package struct WireError: Codable, Sendable {
    /// JSON-RPC's code for an unknown method.
    package static let methodNotFound = -32601

    private struct Details: Codable {
        var kind: String?
        var retryAfter: Double?
        var parameter: String?
        var credentials: Secret<JSONValue>?

        enum CodingKeys: String, CodingKey {
            case kind, parameter, credentials
            case retryAfter = "retry_after"
        }
    }

    private var code: Int
    private var message: String
    private var data: Details?

    /// `error` as it goes over the wire.
    package init(_ error: ProviderError) {
        code =
            switch error.kind {
            case .unsupported: Self.methodNotFound
            case .pluginFault: -32603
            default: -32000
            }
        message = error.message
        data = Details(
            kind: ProviderError.Kind.ofPlugins.contains(error.kind) ? error.kind.rawValue : nil,
            retryAfter: error.retryAfter.map { $0 / .seconds(1) }, parameter: error.parameter,
            credentials: error.credentials)
    }

    /// Decodes what a plugin wrote, forgiving everything but a missing object: what can't be read is as if it weren't
    /// there.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = (try? container.decode(Int.self, forKey: .code)) ?? 0
        message = (try? container.decode(String.self, forKey: .message)) ?? ""
        data = try? container.decode(Details.self, forKey: .data)
    }

    /// The error that a plugin meant; ``ProviderError/Kind/pluginFault`` if its kind is none of the protocol's.
    ///
    /// A waiting time below zero counts as zero, one beyond a day as a day: it outlives the run.
    package var providerError: ProviderError {
        let kind = data?.kind.flatMap(ProviderError.Kind.init(rawValue:))
        guard let kind, ProviderError.Kind.ofPlugins.contains(kind) else {
            let unknown = data?.kind.map { "an error of unknown kind '\($0)'" } ?? "an error without a kind"
            let about = code == Self.methodNotFound ? "that the method is unknown" : unknown
            return ProviderError(.pluginFault, "it answered \(about)\(message.isEmpty ? "" : ": \(message)")")
        }
        let wait = data?.retryAfter.flatMap { $0.isNaN ? nil : Duration.seconds(min(max($0, 0), 86_400)) }
        return ProviderError(
            kind, message, retryAfter: wait, parameter: data?.parameter, credentials: data?.credentials)
    }
}
