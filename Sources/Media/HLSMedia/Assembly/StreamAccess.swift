package import MediaTransfer
package import NetworkAddresses

/// A stream's access to its host: the requests, with the provider's tokens and headers, and its share of connections.
package struct StreamAccess: Sendable, RedactedInPrint {
    package var engine: TransferEngine
    /// A request for a URL of the stream, with its token and headers.
    package var request: @Sendable (_ url: String) -> TransferRequest
    /// Requests one more connection to the host of a URL, in addition to the download's own.
    package var enter: @Sendable (_ url: String) async -> Bool
    /// Returns a connection that ``enter`` got.
    package var leave: @Sendable (_ url: String) async -> Void
    /// Whether requests may still be started, according to the URLs' expiry.
    package var isUsable: @Sendable () -> Bool
    /// A request to this URL has failed.
    package var failed: @Sendable (_ url: String) -> Void
    /// The network that its requests may reach in addition to the public one; nil for any. See
    /// ``TransferRequest/confinement``.
    package var confinement: NetworkScope?
    /// A server has responded.
    package var answered: @Sendable (_ head: ResponseHead) -> Void

    package init(
        engine: TransferEngine, request: @escaping @Sendable (String) -> TransferRequest,
        enter: @escaping @Sendable (String) async -> Bool, leave: @escaping @Sendable (String) async -> Void,
        isUsable: @escaping @Sendable () -> Bool = { true }, failed: @escaping @Sendable (String) -> Void = { _ in },
        answered: @escaping @Sendable (ResponseHead) -> Void = { _ in }
    ) {
        self.engine = engine
        self.request = request
        self.enter = enter
        self.leave = leave
        self.isUsable = isUsable
        self.failed = failed
        self.answered = answered
    }

    /// Access for URLs in a playlist from `scope`: it may name public addresses, and those of its own kind. A playlist
    /// from the web must not reach this machine or its network.
    package func confined(to scope: NetworkScope) -> StreamAccess {
        var access = self
        access.confinement = scope
        return access
    }

    /// The result of a request.
    struct Answer: Sendable, RedactedInPrint {
        var result: Result<[UInt8], StreamFailure>
        /// Its URL, after redirects.
        var url: String?
        var scope = NetworkScope.world
        /// Bytes received from the network for it.
        var received: Int64 = 0
        /// Whether the end of the body was marked, and isn't just the end of the connection.
        var isFramed = true
    }

    /// Downloads something into memory, with one more try after a failure of the connection.
    func fetch(
        _ url: String, range: Range<Int64>?, part: StreamFailure.Part, maxSize: Int64,
        reusing spare: consuming [UInt8] = [], admits: (@Sendable (_ count: Int) -> Bool)? = nil
    ) async -> Answer {
        var request = request(url)
        if let range { request.start = .range(range) }
        request.maxSize = maxSize
        if let confinement { request.confinement = confinement }
        let buffer = BodyBuffer(reusing: spare, most: Int(maxSize), admits: admits)
        var answer = Answer(result: .failure(.transfer(.cancelled, part)))
        for attempt in 1... {
            let report = await engine.fetch(request, into: buffer)
            answer.received += report.received
            answer.url = report.url
            answer.scope = report.scope ?? .world
            if let head = report.head { answered(head) }
            let bytes = buffer.take()
            switch report.failure {
            case nil, .lengthUnknown(framed: true):
                answer.result = .success(bytes)
                return answer
            // A key is complete with 16 bytes; for a playlist see ``Playlist/isWhole(isFramed:)``.
            case .lengthUnknown where part == .playlist || part == .key:
                answer.isFramed = false
                answer.result = .success(bytes)
                return answer
            case let failure?:
                answer.result = .failure(.transfer(Task.isCancelled ? .cancelled : failure, part))
                let isWorthIt = failure.verdict == .retry && attempt < 2
                guard isWorthIt, (try? await Task.sleep(for: .milliseconds(200 * attempt))) != nil else {
                    if !buffer.isRefused { self.failed(url) }
                    return answer
                }
            }
        }
        return answer
    }
}
