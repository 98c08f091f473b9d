/// The decision about a response after its header. A pure function of request and header.
package enum ResponseDecision: Sendable, Equatable, RedactedInPrint {
    /// Write the body.
    case accept(BodyPlan)
    /// 416: everything is there already.
    case complete
    /// Request another URL; nil if the response has none.
    case redirect(String?)
    case refuse(TransferFailure)

    package var description: String {
        switch self {
        case .accept(let plan): "accept(\(plan))"
        case .complete: "complete"
        case .redirect: "redirect(redacted)"
        case .refuse(let failure): "refuse(\(failure))"
        }
    }
}

/// Judges responses by the rules of resuming (RFC 9110 §14, §13.1.5) and of expired URLs, before a byte is written.
package struct ResponseJudge: Sendable, RedactedInPrint {
    private let request: TransferRequest
    private let isRedirected: Bool

    /// - Parameter isRedirected: whether the response follows a redirect.
    package init(request: TransferRequest, isRedirected: Bool) {
        self.request = request
        self.isRedirected = isRedirected
    }

    /// The decision about the response.
    package func decide(_ raw: RawHead, _ head: ResponseHead) -> ResponseDecision {
        if RedirectPolicy.isRedirect(raw.status) { return .redirect(raw.value("location")) }
        switch raw.status {
        case 200, 206:
            if let page = page(raw, head) { return .refuse(page) }
            if isEncoded(raw) { return .refuse(.badResponse(.compressed)) }
            return raw.status == 200 ? whole(head) : part(raw, head)
        case 416 where request.offset > 0:
            return unsatisfied(raw)
        case 401, 403, 404, 410:
            return .refuse(.refused(status: raw.status, .status))
        default:
            return .refuse(.status(raw.status, retryAfter: head.retryAfter))
        }
    }

    /// A page or an API's response instead of media: some hosts report an expired URL so.
    private func page(_ raw: RawHead, _ head: ResponseHead) -> TransferFailure? {
        guard let type = raw.values("content-type").first(where: isPage) else { return nil }
        return .refused(status: raw.status, isRedirected ? .login : .page(head.contentType ?? type))
    }

    private func isPage(_ type: String) -> Bool {
        if request.allowsMarkup { return !request.allowsHTML && ResponseHead.isHTML(type) }
        return ResponseHead.isMarkup(type) && !(request.allowsTimedText && ResponseHead.isTimedText(type))
    }

    private func isEncoded(_ raw: RawHead) -> Bool {
        raw.values("content-encoding").flatMap { $0.split(separator: ",") }
            .contains { !["", "identity", "none"].contains(ASCII.lowercased(ASCII.trimmed($0))) }
    }

    private func whole(_ head: ResponseHead) -> ResponseDecision {
        guard request.rangeField == nil else { return .refuse(.rangeIgnored) }
        return plan(head, total: head.total, bodyEnd: head.total)
    }

    private func part(_ raw: RawHead, _ head: ResponseHead) -> ResponseDecision {
        guard request.rangeField != nil else { return .refuse(.badResponse(.unaskedRange)) }
        // Whatever else it says: its body isn't the bytes of the file.
        if raw.values("content-type").contains(where: { ASCII.lowercased($0).hasPrefix("multipart/") }) {
            return .refuse(.rangeMismatch(.multipart))
        }
        guard let text = raw.value("content-range") else { return .refuse(.rangeMismatch(.noContentRange)) }
        guard case .part(let first, let last, let total) = ContentRange(text) else {
            return .refuse(.rangeMismatch(.malformed))
        }
        if case .range(let range) = request.start {
            guard first == range.lowerBound, last == range.upperBound - 1 else {
                return .refuse(.rangeMismatch(.otherOffset))
            }
            let count = last - first + 1
            return plan(head, total: count, bodyEnd: count)
        }
        guard first == request.offset - request.overlap else { return .refuse(.rangeMismatch(.otherOffset)) }
        if let length = raw.value("content-length").flatMap({ ASCII.number($0) }), head.framing == .length,
            length != last - first + 1
        {
            return .refuse(.rangeMismatch(.contradictoryLength))
        }
        // Of a piece it may send less, not more.
        if let end = request.end, last >= end { return .refuse(.rangeMismatch(.otherOffset)) }
        if let total, total < request.offset { return .refuse(.identityChanged(.total)) }
        if let change = identityChange(raw, total: total, last: last) { return .refuse(.identityChanged(change)) }
        // It ends within the existing bytes, although there may be more.
        guard last >= request.offset || (last + 1 == total && total == request.offset) else {
            return .refuse(.rangeMismatch(.otherOffset))
        }
        return plan(head, total: total ?? request.knownTotal, bodyEnd: last + 1, isPart: true)
    }

    /// Complete only if the server's size equals the existing length and the validator is the same. A checksum needs no
    /// validator: the caller compares it.
    private func unsatisfied(_ raw: RawHead) -> ResponseDecision {
        guard let text = raw.value("content-range"), case .unsatisfied(let total) = ContentRange(text) else {
            return .refuse(.rangeMismatch(.unsatisfiable))
        }
        guard total == request.offset, request.knownTotal.map({ $0 == total }) ?? true else {
            return .refuse(.identityChanged(.total))
        }
        if let expected = request.expectedSize, expected != total {
            return .refuse(.sizeMismatch(expected: expected, announced: total))
        }
        if let change = validatorChange(raw) { return .refuse(.identityChanged(change)) }
        return .complete
    }

    private func identityChange(_ raw: RawHead, total: Int64?, last: Int64) -> IdentityChange? {
        if let known = request.knownTotal {
            // A part without a total may end before the file does, never after it.
            guard total.map({ $0 == known }) ?? (last < known) else { return .total }
        } else if request.condition == .checksum, total == nil {
            return .total
        }
        // A 206 to If-Range needn't repeat the date (RFC 9110 §15.3.7); then the total has to match.
        if case .lastModified = request.condition, raw.values("last-modified").isEmpty, let total,
            total == request.knownTotal
        {
            return nil
        }
        return validatorChange(raw)
    }

    private func validatorChange(_ raw: RawHead) -> IdentityChange? {
        switch request.condition {
        case .etag(let etag): raw.value("etag") == etag ? nil : .etag
        case .lastModified(let date): raw.value("last-modified") == date ? nil : .lastModified
        case .checksum, nil: nil
        }
    }

    private func plan(
        _ head: ResponseHead, total: Int64?, bodyEnd: Int64?, isPart: Bool = false
    ) -> ResponseDecision {
        if let total, let expected = request.expectedSize, total != expected {
            return .refuse(.sizeMismatch(expected: expected, announced: total))
        }
        if let total, let maximum = request.maxSize, total > maximum { return .refuse(.tooLong(.maximum)) }
        var limit = Int64.max
        var reason = TooLong.promised
        let isUnsized = total == nil && request.expectedSize == nil
        for (bound, why) in [
            (bodyEnd, TooLong.promised), (total, .promised), (request.expectedSize, .expected),
            (request.maxSize, .maximum), (isUnsized ? request.maxUnsized : nil, .maximum),
        ] {
            guard let bound, bound < limit else { continue }
            limit = bound
            reason = why
        }
        let whole = total ?? request.expectedSize
        return .accept(
            BodyPlan(
                start: request.offset, whole: whole, partEnd: isPart && whole == nil ? bodyEnd : nil, limit: limit,
                limitReason: reason, framing: head.framing))
    }
}
