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

    /// Serves one line from the host. A line that isn't a request is reported on standard error and skipped.
    func serve(_ line: String) async {
        guard let request = try? JSONReader.decode(IncomingRequest.self, from: line.utf8) else {
            HostLog.write(.error, "received a line that isn't a request")
            return
        }
        do throws(ProviderError) {
            switch request {
            case .resolve(let id, let request): answer(id, try await provider.resolve(request))
            case .list(let id, let request): answer(id, try await provider.list(request))
            case .login(let id, let request): answer(id, try await provider.login(request))
            case .unusable(_, let reason): throw reason
            case .notification: break
            }
        } catch {
            if let id = request.id { output.send(Answer<Bool>(id: id, error: WireError(error))) }
        }
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
        case .resolve(let id, _), .list(let id, _), .login(let id, _), .unusable(let id, _): id
        case .notification: nil
        }
    }
}
