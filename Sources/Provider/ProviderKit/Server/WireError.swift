/// The `error` of an answer, in the form of JSON-RPC 2.0.
package struct WireError: Codable, Sendable {
    /// JSON-RPC's code for an unknown method.
    package static let methodNotFound = -32601

    private struct Details: Codable {
        var kind: String?
        var retryAfter: Double?
        var parameter: String?
        var credentials: Secret<JSONValue>?
        var server: String?

        enum CodingKeys: String, CodingKey {
            case kind, parameter, credentials, server
            case retryAfter = "retry_after"
        }

        init(
            kind: String?, retryAfter: Double?, parameter: String?, credentials: Secret<JSONValue>?, server: String?
        ) {
            self.kind = kind
            self.retryAfter = retryAfter
            self.parameter = parameter
            self.credentials = credentials
            self.server = server
        }

        /// A field of the wrong type is as if it weren't there.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try? container.decode(String.self, forKey: .kind)
            retryAfter = try? container.decode(Double.self, forKey: .retryAfter)
            parameter = try? container.decode(String.self, forKey: .parameter)
            credentials = try? container.decode(Secret<JSONValue>.self, forKey: .credentials)
            server = try? container.decode(String.self, forKey: .server)
        }
    }

    private var code: Int
    private var message: String
    private var data: Details?

    /// `error` in its transmitted form.
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
            credentials: error.credentials, server: error.server)
    }

    /// Decodes a plugin's error, tolerating everything but a missing object: unreadable values count as missing.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = (try? container.decode(Int.self, forKey: .code)) ?? 0
        message = (try? container.decode(String.self, forKey: .message)) ?? ""
        data = try? container.decode(Details.self, forKey: .data)
    }

    /// The plugin's error; ``ProviderError/Kind/pluginFault`` if its kind isn't one of the protocol's.
    ///
    /// A negative waiting time counts as zero, one beyond a day as a day: it outlives the run.
    package var providerError: ProviderError {
        let kind = data?.kind.flatMap(ProviderError.Kind.init(rawValue:))
        guard let kind, ProviderError.Kind.ofPlugins.contains(kind) else {
            let unknown = data?.kind.map { "an error of unknown kind '\($0)'" } ?? "an error without a kind"
            let about = code == Self.methodNotFound ? "that the method is unknown" : unknown
            return ProviderError(.pluginFault, "it answered \(about)\(message.isEmpty ? "" : ": \(message)")")
        }
        let wait = data?.retryAfter.flatMap { $0.isNaN ? nil : Duration.seconds(min(max($0, 0), 86_400)) }
        return ProviderError(
            kind, message, retryAfter: wait, parameter: data?.parameter, credentials: data?.credentials,
            server: data?.server)
    }
}
