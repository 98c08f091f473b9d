import Foundation

/// What the fault host knows about a target when a request for it arrives.
struct FaultHistory: Sendable {
    /// How often the same target has been asked for before.
    var requests = 0
    /// How many bytes of it have been served.
    var served = 0
}

/// From a request to the answer with its faults. A pure function; ``FaultHost`` documents the words.
struct FaultPlan {
    private let request: FaultRequest
    private let history: FaultHistory
    private let query: [String: String]
    private let content: TestContent
    private let now: Date

    static func reply(to request: FaultRequest, _ history: FaultHistory, now: Date) -> FaultReply {
        var path = request.path
        // As a proxy it is asked for absolute URLs.
        if let scheme = path.range(of: "://") {
            let rest = path[scheme.upperBound...]
            path = String(rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...])
        }
        let parts = path.split(separator: "/")
        if parts.first == "redirect" { return redirect(request, parts) }
        guard parts.count == 3, parts[0] == "media", let seed = UInt64(parts[1]),
            let size = Int(parts[2].prefix { $0 != "." })
        else { return FaultReply(status: 404, head: ["Content-Length: 0"]) }
        return FaultPlan(request, history, TestContent(seed: seed, size: size), now).reply()
    }

    private init(_ request: FaultRequest, _ history: FaultHistory, _ content: TestContent, _ now: Date) {
        self.request = request
        self.history = history
        self.content = content
        self.now = now
        var query = request.query
        if let times = query["times"].flatMap({ Int($0) }), history.requests >= times {
            query = query.filter { ["etag", "modified", "rate", "part"].contains($0.key) }
        }
        if request.rangeStart != nil {
            switch query["part"] {
            case "gzip": query["gzip"] = ""
            case "twice": query["double"] = "content-range"
            case "page": query["type"] = "text/html"
            case let status?: query["status"] = status
            case nil: break
            }
        }
        self.query = query
    }

    /// `/redirect/N` to `/redirect/N-1`, and from 0 to `to`; `/redirect/loop` to itself.
    private static func redirect(_ request: FaultRequest, _ parts: [Substring]) -> FaultReply {
        let query = request.query
        let mark = request.target.firstIndex(of: "?") ?? request.target.endIndex
        var location = query["to"] ?? ""
        if parts.count == 2, parts[1] == "loop" {
            location = request.target
        } else if parts.count == 2, let hops = Int(parts[1]), hops > 0 {
            location = "/redirect/\(hops - 1)" + request.target[mark...]
        }
        var reply = FaultReply(status: query["status"].flatMap { Int($0) } ?? 302)
        var head = ["Content-Length: 0"]
        switch query["body"] {
        case "stall":
            head = ["Content-Length: 1000"]
            reply.ending = .hang
        case "endless":
            head = ["Transfer-Encoding: chunked"]
            reply.content = TestContent(seed: 1, size: 1 << 30)
            reply.body = 0..<1 << 30
            reply.isChunked = true
            reply.rate = 100
        default: break
        }
        if !location.isEmpty { head.append("Location: \(location)") }
        if query["double"] == "location" { head.append("Location: /elsewhere") }
        if let first = query["first"] { head.insert(first, at: 0) }
        reply.head = head
        return reply
    }

    private func reply() -> FaultReply {
        if let limit = number("expire"), history.served >= limit {
            return FaultReply(status: number("expired") ?? 410, head: ["Content-Length: 0"])
        }
        if query["token"] != nil, request.fields["authorization"] != "Bearer \(query["token"] ?? "")" {
            return FaultReply(status: 401, head: ["Content-Length: 0"])
        }
        if let status = number("status") { return refusal(status) }
        return media()
    }

    private func refusal(_ status: Int) -> FaultReply {
        var head = ["Content-Length: 5", "Content-Type: text/plain", "Date: \(Self.text(now))"]
        switch query["retry-after"] {
        case "date": head.append("Retry-After: \(Self.text(now.addingTimeInterval(7)))")
        case let seconds?: head.append("Retry-After: \(seconds)")
        case nil: break
        }
        return FaultReply(status: status, head: head, tail: Array("sorry".utf8))
    }

    private func media() -> FaultReply {
        var reply = FaultReply(status: 200, content: content, body: 0..<content.size)
        var head = ["Content-Type: \(query["type"] ?? "video/mp4")"]
        if query["date"] != "none" {
            head.append("Date: \(Self.text(now.addingTimeInterval(Double(number("skew") ?? 0))))")
        }
        let etag = self.etag
        if let etag { head.append("ETag: \(etag)") }
        let modified = self.modified
        if let modified { head.append("Last-Modified: \(modified)") }
        if let start = request.rangeStart, query["range"] != "ignore", isUnchanged(etag, modified) {
            rangeReply(start, &reply, &head)
        }
        frame(&reply, &head)
        if query["gzip"] != nil { head.append("Content-Encoding: gzip") }
        for index in 0..<(number("headers") ?? 0) { head.append("X-Extra-\(index): \(index)") }
        if let size = number("header-bytes") { head.append("X-Long: " + String(repeating: "x", count: size)) }
        if let raw = query["raw"] { head.append(raw) }
        if let first = query["first"] { head.insert(first, at: 0) }
        reply.head = head
        reply.informational = number("informational") ?? 0
        reply.rate = number("rate")
        interrupt(&reply)
        return reply
    }

    private func isUnchanged(_ etag: String?, _ modified: String?) -> Bool {
        guard let condition = request.fields["if-range"], query["if-range"] != "ignore" else { return true }
        return condition == etag || condition == modified
    }

    private func rangeReply(_ start: Int, _ reply: inout FaultReply, _ head: inout [String]) {
        var start = start
        var total = "\(content.size)"
        if start >= content.size || query["range"] == "416" {
            reply.status = 416
            reply.body = 0..<0
            switch query["unsatisfied"] {
            case "none": break
            case let size?: head.append("Content-Range: bytes */\(size)")
            case nil: head.append("Content-Range: bytes */\(total)")
            }
            return
        }
        reply.status = 206
        var end = min(content.size, request.rangeEnd.map { $0 + 1 } ?? content.size)
        switch query["range"] {
        case "shift": start += 1
        case "total": total = "\(content.size + 1)"
        case "star", "early": total = "*"
        case "short": end = start + max(1, (content.size - start) / 2)
        case "none": total = ""
        default: break
        }
        if let most = number("cap") { end = min(end, start + most) }
        reply.body = start..<end
        if query["range"] == "early" { reply.body = start..<start + (end - start) / 2 }
        if query["range"] == "multipart" { head.append("Content-Type: multipart/byteranges; boundary=x") }
        if query["range"] == "malformed" {
            head.append("Content-Range: bytes \(start)-/\(total)")
        } else if !total.isEmpty, query["range"] != "multipart" {
            head.append("Content-Range: bytes \(start)-\(end - 1)/\(total)")
        }
        if query["double"] == "content-range" { head.append("Content-Range: bytes 0-1/2") }
    }

    private func frame(_ reply: inout FaultReply, _ head: inout [String]) {
        let extra = number("extra") ?? 0
        if extra > 0 { reply.tail = TestContent(seed: 99, size: extra).all }
        switch query["length"] {
        case "none":
            reply.ending = .close
        case "chunked":
            head.append("Transfer-Encoding: chunked")
            reply.isChunked = true
        case "lie":
            head.append("Content-Length: \(reply.body.count + 1000)")
            reply.ending = .close
        default:
            head.append("Content-Length: \(reply.body.count)")
        }
        if query["double"] == "content-length" { head.append("Content-Length: \(reply.body.count + 1)") }
    }

    private func interrupt(_ reply: inout FaultReply) {
        func cut(_ word: String, _ ending: FaultReply.Ending) {
            guard let count = number(word), count < reply.body.count else { return }
            reply.body = reply.body.lowerBound..<reply.body.lowerBound + count
            reply.tail = []
            reply.ending = ending
        }
        cut("cut", .close)
        cut("reset", .reset)
        cut("stall", .hang)
        if let limit = number("expire") {
            let left = max(0, limit - history.served)
            if left < reply.body.count {
                reply.body = reply.body.lowerBound..<reply.body.lowerBound + left
                reply.ending = .close
            }
        }
        reply.headLimit = number("stall-head")
    }

    private var etag: String? {
        switch query["etag"] {
        case "none": nil
        case "weak": "W/\"\(content.seed)\""
        case "request": "\"request-\(request.number)\""
        case "connection": "\"connection-\(request.connection)\""
        // Another file from the second request on.
        case "change": "\"version-\(min(history.requests, 1))\""
        case let text?: text
        case nil: "\"\(content.seed)-\(content.size)\""
        }
    }

    private var modified: String? {
        switch query["modified"] {
        case "none": nil
        case "now": Self.text(now)
        case "change": Self.text(Date(timeIntervalSince1970: 1_700_000_000 + Double(history.requests)))
        default: Self.text(Date(timeIntervalSince1970: 1_700_000_000))
        }
    }

    private func number(_ name: String) -> Int? { query[name].flatMap { Int($0) } }

    /// IMF-fixdate.
    static func text(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
