/// A number of bytes for sums: never negative, and a sum stops at the largest number instead of overflowing. Sizes come
/// from hosts, plugins and catalogs, which may give any number.
package struct ByteCount: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
    /// The number; from 0 to `Int64.max`.
    package let value: Int64

    /// Negative numbers become zero.
    package init(_ value: Int64) { self.value = max(0, value) }

    package init(integerLiteral value: Int64) { self.init(value) }

    /// The largest credible size of one file; also the largest integer that every JSON reader keeps exactly.
    package static let largestFile: Int64 = 1 << 53

    /// The size if it is credible for a file; otherwise nil, as for an unknown one.
    package static func believed(_ size: Int64?) -> Int64? {
        size.flatMap { (0...largestFile).contains($0) ? $0 : nil }
    }

    package static func + (a: ByteCount, b: ByteCount) -> ByteCount {
        let (sum, isTooLarge) = a.value.addingReportingOverflow(b.value)
        return isTooLarge ? ByteCount(.max) : ByteCount(sum)
    }

    package static func += (a: inout ByteCount, b: ByteCount) { a = a + b }

    package static func += (a: inout ByteCount, b: Int64) { a = a + ByteCount(b) }

    /// The remainder after `done`; zero if that is larger.
    package func remaining(after done: ByteCount) -> ByteCount { ByteCount(value - done.value) }

    package static func < (a: ByteCount, b: ByteCount) -> Bool { a.value < b.value }
}

extension Sequence {
    /// The bytes of all elements together.
    package func byteCount(_ bytes: (Element) -> Int64) -> ByteCount {
        reduce(into: ByteCount(0)) { $0 += bytes($1) }
    }
}
