package import MediaTransfer

/// How a stream gets at its host: the requests, with what the provider wants in them, and its share of connections.
package struct StreamAccess: Sendable {
    /// Where the bytes come from.
    package var engine: TransferEngine
    /// A request for a URL of the stream, with token and fields where they belong.
    package var request: @Sendable (_ url: String) -> TransferRequest
    /// Asks for one more connection to the host of a URL, beside the one that the download has anyway.
    package var enter: @Sendable (_ url: String) async -> Bool
    /// Gives it back.
    package var leave: @Sendable (_ url: String) async -> Void

    package init(
        engine: TransferEngine, request: @escaping @Sendable (String) -> TransferRequest,
        enter: @escaping @Sendable (String) async -> Bool, leave: @escaping @Sendable (String) async -> Void
    ) {
        self.engine = engine
        self.request = request
        self.enter = enter
        self.leave = leave
    }

    /// Fetches something small or a segment, with two more tries where the connection is to blame.
    ///
    /// - Returns: the bytes, and how many came over the network for them.
    func fetch(
        _ url: String, range: Range<Int64>?, part: StreamFailure.Part, maxSize: Int64, allowsMarkup: Bool = false,
        reusing spare: consuming [UInt8] = []
    ) async -> (result: Result<[UInt8], StreamFailure>, received: Int64) {
        var request = request(url)
        if let range { request.start = .range(range) }
        request.maxSize = maxSize
        request.allowsMarkup = allowsMarkup
        let buffer = BodyBuffer(reusing: spare)
        var received: Int64 = 0
        for attempt in 1... {
            let report = await engine.fetch(request, into: buffer)
            received += report.received
            let bytes = buffer.take()
            switch report.failure {
            case nil, .lengthUnknown(framed: true): return (.success(bytes), received)
            case let failure?:
                let isWorthIt = failure.verdict == .retry && attempt < 3
                guard isWorthIt, (try? await Task.sleep(for: .milliseconds(200 * attempt))) != nil else {
                    return (.failure(.transfer(Task.isCancelled ? .cancelled : failure, part)), received)
                }
            }
        }
        return (.failure(.transfer(.cancelled, part)), received)
    }
}
