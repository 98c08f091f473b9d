#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes links that can't be forged, and that expire.
struct LinkSigner: Sendable {
    /// The validity of a link.
    enum Verdict {
        case good, forged, expired
    }

    /// `expires` and `signature` for `name`, as a query.
    func query(for name: String, until expires: Date) -> String {
        let milliseconds = Int64((expires.timeIntervalSince1970 * 1000).rounded())
        return "expires=\(milliseconds)&signature=\(signature(name, milliseconds))"
    }

    /// Whether `query` is a link to `name` that is valid at the time `now`.
    func judge(_ query: [String: String], for name: String, now: Date) -> Verdict {
        guard let expires = query["expires"].flatMap({ Int64($0) }), query["signature"] == signature(name, expires)
        else { return .forged }
        return Double(expires) / 1000 > now.timeIntervalSince1970 ? .good : .expired
    }

    /// Hasher is SipHash with a key chosen by each process, which is enough for links of this process.
    private func signature(_ name: String, _ expires: Int64) -> String {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(expires)
        return String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 16)
    }
}
