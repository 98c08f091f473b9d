/// Answers requests with a provider.
struct PluginServer<P: Provider>: Sendable {
    private struct Answer<Result: Encodable>: Encodable {
        var jsonrpc = "2.0"
        var id: Int
        var result: Result?
        var error: WireError?
    }

    let provider: P
    let output: PluginOutput
    var renewals = CredentialRenewals.shared

    /// Serves one line from the host. A line that isn't a request is reported on standard error and skipped.
    func serve(_ line: String) async {
        guard let request = try? JSONReader.decode(IncomingRequest.self, from: line.utf8) else {
            HostLog.write(.error, "received a line that isn't a request")
            return
        }
        do throws(ProviderError) {
            switch request {
            case .resolve(let id, let request): try await serve(id, request, by: provider.resolve)
            case .list(let id, let request): try await serve(id, request, by: provider.list)
            case .courses(let id, let request): try await serve(id, request, by: provider.courses)
            case .recognise(let id, let request): try await serve(id, request, by: provider.recognise)
            case .login(let id, let request): answer(id, try await provider.login(request))
            case .unusable(_, let reason): throw reason
            case .notification: break
            }
        } catch {
            if let id = request.id { output.send(Answer<Bool>(id: id, error: WireError(error))) }
        }
    }

    /// Lets the provider answer with the newest credentials, which go back with what it says until the host has them.
    private func serve<Request: CredentialedRequest, Result: CredentialedAnswer>(
        _ id: Int, _ request: Request, by provide: (Request) async throws(ProviderError) -> Result
    ) async throws(ProviderError) {
        let given = request.credentials
        var request = request
        request.credentials = renewals.arrived(given, of: request.user)
        do throws(ProviderError) {
            var result = try await provide(request)
            result.credentials = result.credentials ?? renewals.newer(than: given, of: request.user)
            answer(id, result)
        } catch { throw error.with(renewals.newer(than: given, of: request.user)) }
    }

    private func answer(_ id: Int, _ result: some Encodable) {
        guard !output.send(Answer(id: id, result: result)) else { return }
        let error = ProviderError(.pluginFault, "the answer contains a number that JSON can't express")
        output.send(Answer<Bool>(id: id, error: WireError(error)))
    }
}

extension IncomingRequest {
    /// The id for the answer; nil for a notification.
    fileprivate var id: Int? {
        switch self {
        case .resolve(let id, _), .list(let id, _), .courses(let id, _), .recognise(let id, _), .login(let id, _),
            .unusable(let id, _):
            id
        case .notification: nil
        }
    }
}

extension ProviderError {
    /// With these credentials, unless it has some of its own.
    fileprivate func with(_ renewed: Secret<JSONValue>?) -> ProviderError {
        var error = self
        error.credentials = credentials ?? renewed
        return error
    }
}
