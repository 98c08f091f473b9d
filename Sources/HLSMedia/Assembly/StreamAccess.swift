package import MediaTransfer

/// How a stream gets at its host: the requests, with what the provider wants in them, and its share of connections.
package struct StreamAccess: Sendable, RedactedInPrint {
    /// Where the bytes come from.
    package var engine: TransferEngine
    /// A request for a URL of the stream, with token and fields where they belong.
    package var request: @Sendable (_ url: String) -> TransferRequest
    /// Asks for one more connection to the host of a URL, beside the one that the download has anyway.
    package var enter: @Sendable (_ url: String) async -> Bool
    /// Gives it back.
    package var leave: @Sendable (_ url: String) async -> Void
    /// Whether requests may still be begun, by the word of whoever gave the URLs.
    package var isUsable: @Sendable () -> Bool
    /// A request to this URL has failed.
    package var failed: @Sendable (_ url: String) -> Void
    /// Where its requests may lead beside the public network; nil for anywhere. See ``TransferRequest/confinement``.
    package var confinement: NetworkScope?
    /// A server has answered.
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

    /// Access for what a playlist names that came from `scope`: it may name public addresses, and those of its own kind. A
    /// stranger's playlist on the web has no business on this machine or in its network.
    package func confined(to scope: NetworkScope) -> StreamAccess {
        var access = self
        access.confinement = scope
        return access
    }

    /// What came of a fetch.
    struct Answer: Sendable, RedactedInPrint {
        var result: Result<[UInt8], StreamFailure>
        /// Where it came from, after redirects.
        var url: String?
        /// Where that is.
        var scope = NetworkScope.world
        /// Bytes that came over the network for it.
        var received: Int64 = 0
        /// Whether the end of the body was marked, rather than being the end of the connection.
        var isFramed = true
    }

    /// Fetches something into memory, with one more try where the connection is to blame.
    func fetch(
        _ url: String, range: Range<Int64>?, part: StreamFailure.Part, maxSize: Int64,
        reusing spare: consuming [UInt8] = [], admits: (@Sendable (_ count: Int) -> Bool)? = nil
    ) async -> Answer {
        var request = request(url)
        if let range { request.start = .range(range) }
        request.maxSize = maxSize
        request.confinement = confinement
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
            // A key says by its 16 bytes whether it is whole, for a playlist see ``Playlist/isWhole(isFramed:)``.
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
