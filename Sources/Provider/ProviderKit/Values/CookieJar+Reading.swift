#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The reason why a text isn't a browser's session. Facts only, without the text: it is secret.
package struct CookieMistake: Error, Sendable, Equatable {
    package enum Problem: Error, Sendable, Equatable {
        /// More than ``CookieJar/byteBound`` bytes.
        case tooLong
        /// More than ``CookieJar/countBound`` cookies.
        case tooMany
        /// Not seven fields with tabs between them.
        case fields
        /// The first field isn't the name of a host.
        case domain
        /// The second or fourth field is neither TRUE nor FALSE.
        case flag
        /// The fifth field isn't a number.
        case expiry
        /// A name or value has a character that no cookie may have.
        case characters
        /// A part of a line of `Cookie` isn't `name=value`.
        case pair
        /// It is JSON, another form of extensions.
        case json
        /// There is no cookie in it.
        case empty
        /// A line of `Cookie` doesn't say which host it is for; the parameter that would, if there is one.
        case noServer(String?)
        /// All of them have expired, the last one at this time.
        case expired(Date)
    }

    /// From 1; nil if it isn't about one.
    package var line: Int?
    package var problem: Problem
}

extension CookieJar {
    /// The limit on its text, in bytes.
    package static let byteBound = 64 << 10
    package static let countBound = 300

    /// The server that a line of `Cookie` is for.
    package struct Server: Sendable, Hashable {
        /// In brackets if it is an address of IPv6.
        package var host: String
        package var isSecure: Bool

        package init(host: String, isSecure: Bool) {
            self.host = host
            self.isSecure = isSecure
        }
    }

    /// Reads what a person gave: a file in Netscape's format, or the `Cookie` line of a request, with or without the
    /// field's name. Those that have expired, and those without a name, are left out.
    ///
    /// - Parameters:
    ///   - server: what a line is for; nil if that isn't known.
    ///   - parameter: the one that would say it; nil without one.
    package static func read(
        _ text: String, for server: Server?, from parameter: String?, at now: Date
    ) throws(CookieMistake) -> CookieJar {
        let lines = lines(of: text)
        let filled = lines.enumerated().filter { !isComment($0.element) }
        guard !filled.isEmpty else { throw CookieMistake(problem: .empty) }
        let jar: CookieJar
        if filled.contains(where: { isNetscape($0.element) }) {
            var cookies: [Cookie] = []
            for (index, line) in filled {
                do throws(CookieMistake.Problem) {
                    if let cookie = try Cookie(netscape: line) { cookies.append(cookie) }
                } catch { throw CookieMistake(line: index + 1, problem: error) }
            }
            jar = CookieJar(cookies)
        } else {
            jar = try CookieJar(line: filled.map(\.element), for: server, from: parameter)
        }
        let valid = CookieJar(jar.cookies.filter { $0.expiresAt.map { $0 > now } ?? true })
        guard !valid.cookies.isEmpty else {
            throw CookieMistake(problem: jar.lastExpiry.map { .expired($0) } ?? .empty)
        }
        guard valid.cookies.count <= countBound else { throw CookieMistake(problem: .tooMany) }
        guard valid.text.utf8.count <= byteBound else { throw CookieMistake(problem: .tooLong) }
        return valid
    }

    private init(line lines: [Substring], for server: Server?, from parameter: String?) throws(CookieMistake) {
        if let first = lines[0].utf8.first, "[{".utf8.contains(first) { throw CookieMistake(problem: .json) }
        // Of all the fields of a request it is this one.
        let named = lines.filter { $0.lowercased().hasPrefix("cookie:") }
        guard let line = lines.count == 1 ? lines.first : named.count == 1 ? named.first : nil else {
            throw CookieMistake(problem: .fields)
        }
        let pairs = (named.isEmpty ? line : line.dropFirst("cookie:".count)).split(separator: ";")
            .map { $0.trimmed }.filter { !$0.isEmpty }
        guard !pairs.isEmpty else { throw CookieMistake(problem: .empty) }
        var cookies: [Cookie] = []
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, Cookie.isName(parts[0]) else { throw CookieMistake(problem: .pair) }
            guard Cookie.isValue(parts[1]) else { throw CookieMistake(problem: .characters) }
            guard let server else { throw CookieMistake(problem: .noServer(parameter)) }
            cookies.append(
                Cookie(String(parts[0]), String(parts[1]), domain: server.host, isSecure: server.isSecure))
        }
        self.init(cookies)
    }

    static func lines(of text: String) -> [Substring] {
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    }

    static func isComment(_ line: Substring) -> Bool {
        line.trimmed.isEmpty || line.hasPrefix("#") && !line.hasPrefix(Cookie.httpOnlyMark)
    }

    /// Whether it was meant as a line of such a file; one that came through a page has blanks in the place of tabs.
    private static func isNetscape(_ line: Substring) -> Bool {
        if line.contains("\t") { return true }
        let words = line.split(separator: " ")
        return words.count >= 6 && ["TRUE", "FALSE"].contains(words[1])
    }
}

extension Cookie {
    static let httpOnlyMark = "#HttpOnly_"
    /// The end of the year 9999, the last one that times of RFC 3339 have.
    private static let lastTime = 253_402_300_799.0

    /// Reads a line that isn't a comment; nil for a cookie without a name.
    init?(netscape line: Substring) throws(CookieMistake.Problem) {
        let isHTTPOnly = line.hasPrefix(Self.httpOnlyMark)
        var fields = (isHTTPOnly ? line.dropFirst(Self.httpOnlyMark.count) : line)
            .split(separator: "\t", omittingEmptySubsequences: false)
        // Editors take the tab before an empty value for a blank at the line's end.
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7 else { throw .fields }
        guard Self.isDomain(fields[0]) else { throw .domain }
        let flags = [fields[1], fields[3]].map { $0.uppercased() }
        guard flags.allSatisfy({ ["TRUE", "FALSE"].contains($0) }) else { throw .flag }
        let expiry = try Self.expiry(fields[4])
        guard fields[2].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), Self.isValue(fields[6]) else {
            throw .characters
        }
        if fields[5].isEmpty { return nil }
        guard Self.isName(fields[5]) else { throw .characters }
        self.init(
            String(fields[5]), String(fields[6]), domain: String(fields[0]), includesSubdomains: flags[0] == "TRUE",
            path: String(fields[2]), isSecure: flags[1] == "TRUE", isHTTPOnly: isHTTPOnly, expiresAt: expiry)
    }

    /// A line that ``init(netscape:)`` reads.
    var netscapeLine: String {
        let seconds = expiresAt.map { Int64($0.timeIntervalSince1970.rounded(.down)) } ?? 0
        let fields = [
            "\(isHTTPOnly ? Self.httpOnlyMark : "")\(includesSubdomains ? "." : "")\(domain)",
            includesSubdomains ? "TRUE" : "FALSE", path, isSecure ? "TRUE" : "FALSE", "\(seconds)", name, value,
        ]
        return fields.joined(separator: "\t")
    }

    /// Seconds since 1970; 0, nothing and what is negative are for the end of the browser's session.
    private static func expiry(_ field: Substring) throws(CookieMistake.Problem) -> Date? {
        if field.isEmpty { return nil }
        guard field.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }),
            let seconds = Double(field)
        else { throw .expiry }
        return seconds <= 0 ? nil : Date(timeIntervalSince1970: min(seconds.rounded(.down), lastTime))
    }

    /// Letters, digits and what else hosts have in their names; an address of IPv6 is in brackets.
    private static func isDomain(_ field: Substring) -> Bool {
        let name = field.hasPrefix(".") ? field.dropFirst() : field
        let isAddress = name.hasPrefix("[") && name.hasSuffix("]")
        return !name.isEmpty && name.utf8.count <= 253 && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "-._".utf8.contains(byte)
                    || isAddress && "[]:".utf8.contains(byte)
            }
    }

    static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !";=,".utf8.contains($0) }
    }

    /// Browsers take more than RFC 6265 §4.1.1 has, such as quotes and commas; a semicolon would begin another cookie.
    static func isValue(_ value: Substring) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x3B }
    }
}

extension Substring {
    /// Without the blanks around it.
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
