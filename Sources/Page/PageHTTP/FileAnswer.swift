package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How a request for a file is answered: whole, a part, or not at all (RFC 9110 §13, §14).
package struct FileAnswer: Sendable, Equatable {
    package var status: Int
    /// The bytes to send; empty for a refusal.
    package var range: Range<Int64>
    package var headers: [String: String]

    /// - Parameters:
    ///   - size: of the file, in bytes.
    ///   - tag: its ETag, in quotation marks; a weak one begins with `W/`.
    ///   - modified: when it was changed.
    package init(to request: PageRequest, size: Int64, tag: String, modified: Date) {
        let date = Self.text(modified)
        headers = ["accept-ranges": "bytes", "etag": tag, "last-modified": date]
        range = 0..<size
        status = 200
        switch Preconditions.check(request, tag: tag, date: date) {
        case .notModified: (status, range) = (304, 0..<0)
        case .failed: (status, range) = (412, 0..<0)
        case .passed:
            let isSame = Preconditions.allowsRange(request, tag: tag)
            guard request.method == .get, isSame, let header = request.headers["range"] else { break }
            switch ByteRanges.decide(header, size: size) {
            case .whole: break
            case .part(let part):
                (status, range) = (206, part)
                headers["content-range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
            case .unsatisfiable:
                (status, range) = (416, 0..<0)
                headers["content-range"] = "bytes */\(size)"
            }
        }
    }
}

extension FileAnswer {
    /// A date as in `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func text(_ date: Date) -> String {
        var seconds = time_t(max(0, date.timeIntervalSince1970))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        return "\(day) \(parts.tm_year + 1900) \(time) GMT"
    }
}

/// The header field Range (RFC 9110 §14.1.2, §14.2).
package enum ByteRanges {
    package enum Decision: Sendable, Equatable {
        /// There is no usable range: the whole file is sent.
        case whole
        case part(Range<Int64>)
        /// It begins behind the end.
        case unsatisfiable
    }

    /// Several ranges are answered with the whole file, which a server may do, and so is a field that isn't valid.
    package static func decide(_ header: String, size: Int64) -> Decision {
        let parts = header.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2, parts[0].lowercased() == "bytes", !parts[1].contains(",") else { return .whole }
        let ends = parts[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return .whole }
        switch (first, last) {
        case (nil, nil): return .whole
        case (nil, let length?):
            // The last bytes.
            return length == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - length)..<size)
        case (let first?, let last):
            if let last, last < first { return .whole }
            guard first < size else { return .unsatisfiable }
            return .part(first..<min(size - 1, last ?? size - 1) + 1)
        }
    }

    /// Nil inside for an absent number, nil for one that isn't one. A larger one than fits is the largest.
    private static func number(_ text: String) -> Int64?? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if text.isEmpty { return .some(nil) }
        return .some(Int64(text) ?? .max)
    }
}

/// The conditions of a request (RFC 9110 §13).
package enum Preconditions {
    package enum Result: Sendable, Equatable {
        case passed, notModified, failed
    }

    /// - Parameter date: Last-Modified as it is sent.
    package static func check(_ request: PageRequest, tag: String, date: String) -> Result {
        if let header = request.headers["if-match"] {
            guard lists(header, tag, isStrong: true) else { return .failed }
        }
        if let header = request.headers["if-none-match"] {
            return lists(header, tag, isStrong: false) ? .notModified : .passed
        }
        return request.headers["if-modified-since"] == date ? .notModified : .passed
    }

    /// Whether If-Range lets a range be answered: only by a strong ETag, since a date says nothing about changes within
    /// its second.
    package static func allowsRange(_ request: PageRequest, tag: String) -> Bool {
        guard let condition = request.headers["if-range"] else { return true }
        return !tag.hasPrefix("W/") && condition == tag
    }

    /// Whether a list of ETags has this one.
    static func lists(_ header: String?, _ tag: String, isStrong: Bool) -> Bool {
        guard let header else { return false }
        if header.trimmingCharacters(in: .whitespaces) == "*" { return true }
        let opaque = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        if isStrong, opaque != tag { return false }
        return header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.contains { one in
            one == opaque || (!isStrong && one == "W/" + opaque)
        }
    }
}
