/// A number of bytes that is summed: never negative, and a sum stops at the largest number instead of overflowing. Sizes are
/// told by hosts, plugins and catalogs, which may tell anything.
package struct ByteCount: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
    /// The number; from 0 to `Int64.max`.
    package let value: Int64

    /// Less than nothing is nothing.
    package init(_ value: Int64) { self.value = max(0, value) }

    package init(integerLiteral value: Int64) { self.init(value) }

    /// The largest size that is believed of one file; also the largest whole number that every reader of JSON keeps.
    package static let largestFile: Int64 = 1 << 53

    /// The size if it can be one of a file; nil if it is unknown or a lie.
    package static func believed(_ size: Int64?) -> Int64? {
        size.flatMap { (0...largestFile).contains($0) ? $0 : nil }
    }

    package static func + (a: ByteCount, b: ByteCount) -> ByteCount {
        let (sum, isTooLarge) = a.value.addingReportingOverflow(b.value)
        return isTooLarge ? ByteCount(.max) : ByteCount(sum)
    }

    package static func += (a: inout ByteCount, b: ByteCount) { a = a + b }

    package static func += (a: inout ByteCount, b: Int64) { a = a + ByteCount(b) }

    /// What is left of it when `done` is there; nothing if that is more.
    package func remaining(after done: ByteCount) -> ByteCount { ByteCount(value - done.value) }

    package static func < (a: ByteCount, b: ByteCount) -> Bool { a.value < b.value }
}

extension Sequence {
    /// The bytes of all elements together.
    package func byteCount(_ bytes: (Element) -> Int64) -> ByteCount {
        reduce(into: ByteCount(0)) { $0 += bytes($1) }
    }
}
