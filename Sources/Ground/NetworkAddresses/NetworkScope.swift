import CLibCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The network that an address belongs to. Related: RFC 6890, RFC 4291 §2.
package enum NetworkScope: Sendable, Hashable {
    /// The machine itself.
    case loopback
    /// The local link, which includes the metadata services of clouds.
    case link
    /// A private network, including carriers' and test networks.
    case privateNetwork
    /// Everything else.
    case world

    /// From a numeric address; nil for anything else. An IPv4 address within an IPv6 one (mapped, compatible, NAT64 or
    /// 6to4) counts as itself.
    package init?(address: String) {
        let text = String(address.prefix { $0 != "%" })
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(four: UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(six: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// From a URL's host, if that is an address in any spelling that resolvers accept (`127.1`, `0x7f000001`,
    /// `2130706433`); nil for a name.
    package init?(literal host: String) {
        guard var text = Self.ascii(host) else {
            self = .loopback
            return
        }
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        while text.hasSuffix(".") { text.removeLast() }
        if let scope = NetworkScope(address: text) {
            self = scope
            return
        }
        var four = in_addr()
        // Anything else is a name; `inet_aton` ignores text after a blank.
        guard let first = text.utf8.first, (0x30...0x39).contains(first), !text.utf8.contains(where: { $0 <= 0x20 }),
            inet_aton(text, &four) != 0
        else { return nil }
        self = NetworkScope(four: UInt32(bigEndian: four.s_addr))
    }

    /// From a URL's host alone, for names resolved by a proxy.
    package init(name host: String) {
        var name = (Self.ascii(host) ?? host).lowercased()
        while name.hasSuffix(".") { name.removeLast() }
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        self = NetworkScope(literal: host) ?? (isLocal ? .loopback : .world)
    }

    /// The host as libcurl asks for it: `１２７。0.0.1` is `127.0.0.1`. Nil if it makes no name of it.
    ///
    /// Related: RFC 5891, UTS #46
    private static func ascii(_ host: String) -> String? {
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return host }
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        var value: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_URL, "http://\(host)/", 0) == CURLUE_OK,
            curl_url_get(url, CURLUPART_HOST, &value, UInt32(CURLU_PUNYCODE)) == CURLUE_OK, let value
        else { return nil }
        defer { curl_free(value) }
        return String(validatingCString: value)
    }

    private init(four: UInt32) {
        func isWithin(_ network: UInt32, _ bits: UInt32) -> Bool { four >> (32 - bits) == network >> (32 - bits) }
        // A connection to 0.0.0.0 reaches the machine itself.
        if isWithin(0x7F00_0000, 8) || isWithin(0, 8) {
            self = .loopback
        } else if isWithin(0xA9FE_0000, 16) {
            self = .link
        } else if isWithin(0x0A00_0000, 8) || isWithin(0xAC10_0000, 12) || isWithin(0xC0A8_0000, 16)
            || isWithin(0x6440_0000, 10) || isWithin(0xC000_0000, 24) || isWithin(0xC612_0000, 15)
            || isWithin(0xE000_0000, 3)
        {
            self = .privateNetwork
        } else {
            self = .world
        }
    }

    private init(six bytes: [UInt8]) {
        func four(at place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
        if isZero(0..<15), bytes[15] <= 1 {
            self = .loopback
        } else if isZero(0..<12) || (isZero(0..<10) && bytes[10] == 0xFF && bytes[11] == 0xFF)
            || (bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) && isZero(4..<12))
        {
            self = NetworkScope(four: four(at: 12))
        } else if bytes.starts(with: [0x20, 0x02]) {
            self = NetworkScope(four: four(at: 2))
        } else if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 {
            self = .link
        } else if bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0xC0) || bytes[0] == 0xFF {
            self = .privateNetwork
        } else {
            self = .world
        }
    }
}
