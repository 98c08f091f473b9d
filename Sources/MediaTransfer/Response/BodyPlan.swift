/// What a body may and must amount to, settled before its first byte is written.
package struct BodyPlan: Sendable, Equatable {
    /// The length of the partial before the first byte of the body.
    package var start: Int64
    /// The length at which the file is whole, from the answer or, where it doesn't say, from the request.
    package var whole: Int64?
    /// The length at which the answer ends that is a part of a file whose size nobody has told; nil for all others.
    package var partEnd: Int64?
    /// The length beyond which nothing is written.
    package var limit: Int64
    /// Why not.
    package var limitReason: TooLong
    /// How the end of the body is found.
    package var framing: ResponseHead.Framing

    /// All of it.
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

    /// What has come of the transfer when nothing more arrives; nil means that the file is whole.
    ///
    /// Bytes decide, not how the connection ended: a reset behind the last byte harms nobody. How a part was framed
    /// says nothing of what lies behind it.
    /// - Parameters:
    ///   - length: of the partial now.
    ///   - problem: what ended the connection; nil if the body came to a regular end.
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
