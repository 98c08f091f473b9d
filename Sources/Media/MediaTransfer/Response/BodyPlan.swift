/// The expected length of a body, determined before its first byte is written.
package struct BodyPlan: Sendable, Equatable {
    /// The length of the partial before the first byte of the body.
    package var start: Int64
    /// The length of the complete file, from the response or else from the request.
    package var whole: Int64?
    /// The final length after a partial response to a file of unknown size; nil for all others.
    package var partEnd: Int64?
    /// The length beyond which nothing is written.
    package var limit: Int64
    package var limitReason: TooLong
    /// The way the end of the body is determined.
    package var framing: ResponseHead.Framing

    package init(
        start: Int64, whole: Int64?, partEnd: Int64? = nil, limit: Int64, limitReason: TooLong,
        framing: ResponseHead.Framing
    ) {
        self.start = start
        self.whole = whole
        self.partEnd = partEnd
        self.limit = limit
        self.limitReason = limitReason
        self.framing = framing
    }

    /// The result of the transfer when no more data arrives; nil means that the file is complete.
    ///
    /// Bytes decide, not how the connection ended: a reset after the last byte does no harm. The framing of a part says
    /// nothing about the rest of the file.
    /// - Parameters:
    ///   - length: of the partial now.
    ///   - problem: the error that ended the connection; nil if the body ended regularly.
    package func outcome(length: Int64, problem: TransferFailure?) -> TransferFailure? {
        if let whole, whole > 0, length == whole { return nil }
        let truncated = TransferFailure.truncated(received: length - start, expected: expected)
        if let problem {
            if case .truncated = problem { return length == partEnd ? .partOnly : truncated }
            return problem
        }
        if length == 0 { return .empty }
        if length == partEnd { return .partOnly }
        return expected != nil ? truncated : .lengthUnknown(framed: framing != .untilClose)
    }

    private var expected: Int64? { (whole ?? partEnd).map { $0 - start } }
}
