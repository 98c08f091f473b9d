/// An answer, faults included: the head as it goes out, which bytes follow, and how it ends.
struct FaultReply: Sendable {
    /// What happens behind the body.
    enum Ending: Sendable {
        /// The connection stays for the next request.
        case keep
        case close
        /// A TCP reset.
        case reset
        /// Nothing more, for ever.
        case hang
    }

    var status: Int
    /// Lines without their ends.
    var head: [String] = []
    var content = TestContent(seed: 0, size: 0)
    /// Which bytes of the content are sent.
    var body = 0..<0
    /// Sent behind the body as they are.
    var tail: [UInt8] = []
    var isChunked = false
    /// Bytes a second; nil for as fast as it goes.
    var rate: Int?
    var ending = Ending.keep
    /// Sends the head only up to here, then hangs.
    var headLimit: Int?
    /// Heads of the 1xx kind in front.
    var informational = 0
    /// Nothing of it goes out before the host says so.
    var isHeld = false

    /// The bytes of the head.
    var headBytes: [UInt8] {
        let reason = status == 206 ? "Partial Content" : status == 200 ? "OK" : "Status"
        let early = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", count: informational)
        return Array((early + "HTTP/1.1 \(status) \(reason)\r\n" + head.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
    }
}
