/// One answer of a path that a test has written down: see ``FaultHost/script(_:_:)``.
package struct ScriptedAnswer: Sendable {
    /// What happens behind the body.
    package enum Ending: Sendable {
        /// The connection stays.
        case keep
        case close
        /// Nothing more comes, for ever.
        case stall
    }

    package var status = 200
    package var mediaType = "application/octet-stream"
    package var body: [UInt8] = []
    /// Further fields of the header.
    package var lines: [String] = []
    /// The length that is announced; nil for that of the body.
    package var length: Int?
    package var ending = Ending.keep
    /// Whether the end of the connection is the end of the body.
    package var isUnframed = false
    /// Whether it goes out in chunks.
    package var isChunked = false
    /// Waits for ``FaultHost/release(_:)``.
    package var isHeld = false

    /// 200 with these bytes.
    package static func bytes(_ body: [UInt8], _ mediaType: String = "application/octet-stream") -> ScriptedAnswer {
        ScriptedAnswer(mediaType: mediaType, body: body)
    }

    /// 200 with a text.
    package static func text(_ text: String, _ mediaType: String) -> ScriptedAnswer {
        .bytes(Array(text.utf8), mediaType)
    }

    /// A refusal.
    package static func status(_ status: Int) -> ScriptedAnswer {
        ScriptedAnswer(status: status, mediaType: "text/plain", body: Array("sorry".utf8))
    }

    /// Announces all of it and sends the first bytes only, then closes, or says nothing more.
    package func cut(_ count: Int, stalls: Bool = false) -> ScriptedAnswer {
        var answer = self
        answer.length = body.count
        answer.body = Array(body.prefix(count))
        answer.ending = stalls ? .stall : .close
        return answer
    }

    /// Says nothing of its length, sends the first bytes, or all, and closes in order.
    package func unframed(_ count: Int = .max) -> ScriptedAnswer {
        var answer = self
        answer.isUnframed = true
        answer.body = Array(body.prefix(count))
        answer.ending = .close
        return answer
    }

    /// The same, but not before it is let go.
    package var held: ScriptedAnswer {
        var answer = self
        answer.isHeld = true
        return answer
    }

    /// As it goes out; with the range that is asked for.
    func reply(to request: FaultRequest) -> FaultReply {
        var reply = FaultReply(status: status, tail: body, isHeld: isHeld)
        var head = ["Content-Type: \(mediaType)"] + lines
        if status == 200, length == nil, let start = request.rangeStart, start < body.count {
            let end = min(body.count, (request.rangeEnd ?? body.count - 1) + 1)
            reply.status = 206
            reply.tail = Array(body[start..<max(start, end)])
            head.append("Content-Range: bytes \(start)-\(end - 1)/\(body.count)")
        }
        if isChunked {
            reply.isChunked = true
            reply.head = head + ["Transfer-Encoding: chunked"]
            return reply
        }
        reply.head = head + [isUnframed ? "Connection: close" : "Content-Length: \(length ?? reply.tail.count)"]
        switch ending {
        case .keep: reply.ending = .keep
        case .close: reply.ending = .close
        case .stall: reply.ending = .hang
        }
        return reply
    }
}
