package import Foundation

/// A property list, or a part of one: binary, XML or old-style text.
///
/// Foundation's own reader isn't used on sources: it traps on changed binary lists, and expands shared collections.
package enum PropertyList: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case date(Date)
    case string(String)
    case data(Data)
    case array([PropertyList])
    case dictionary([String: PropertyList])
    /// A reference to an object of a keyed archive.
    case uid(UInt32)

    /// In bytes: XML and JSON take many times their size in memory.
    static let textBound = 16 << 20
    /// Collections within collections, at most.
    static let depthBound = 64

    /// Reads a whole list in any of the three forms.
    package init(_ bytes: [UInt8]) throws(FormatFault) {
        var budget = NodeBudget(ofFile: bytes.count)
        if bytes.starts(with: BinaryPropertyList.magic) {
            let list = try BinaryPropertyList(bytes)
            self = try list.value(of: list.root, &budget)
        } else if Self.looksLikeXML(bytes) {
            guard bytes.count <= Self.textBound else { throw .tooLarge }
            self = try XMLPropertyList.read(bytes, &budget)
        } else {
            self = try TextPropertyList.read(bytes, &budget)
        }
    }

    /// Whether it is markup; old-style data begin with the same character.
    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
        // A byte order mark, and the zeros of UTF-16, aside.
        let start = bytes.prefix(256).filter { $0 != 0 && $0 < 0x80 }.drop { $0 <= 0x20 }
        return ["<?xml", "<!", "<plist"].contains { start.starts(with: $0.utf8) }
    }
}

/// How much of a list may still be expanded: a collection counts each time that something refers to it.
struct NodeBudget {
    private static let highest = 4_000_000

    private var left: Int

    /// Enough for a file that refers to nothing twice.
    ///
    /// - Parameter times: how often each of its values may be read.
    init(ofFile size: Int, times: Int = 1) {
        left =
            min(Self.highest, size.multipliedReportingOverflow(by: 4).overflow ? Self.highest : size * 4 + 1000) * times
    }

    /// Throws ``FormatFault/tooLarge`` when it is used up.
    mutating func take(_ cost: Int) throws(FormatFault) {
        guard cost <= left else { throw .tooLarge }
        left -= cost
    }
}
