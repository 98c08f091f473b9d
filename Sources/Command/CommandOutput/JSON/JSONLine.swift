package import Foundation
import SyncFacts
import TextFormats

/// Writes one JSON object on one line, key by key, into bytes.
///
/// Every character beyond printable ASCII that could control a terminal is escaped, so that the raw stream is harmless;
/// other text stays UTF-8.
package struct JSONLine {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends the object and the line.
    package consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    package mutating func field(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { text(value) } else { null() }
    }

    /// The first fields of every line of a stream: its kind and its time.
    package mutating func event(_ name: String, at time: Date) {
        field("event", name)
        field("time", time)
    }

    mutating func field(_ name: StaticString, _ value: Int64?) {
        key(name)
        if let value { number(value) } else { null() }
    }

    package mutating func field(_ name: StaticString, _ value: Int?) { field(name, value.map(Int64.init)) }

    mutating func field(_ name: StaticString, _ value: Bool?) {
        key(name)
        if let value { bytes += Array((value ? "true" : "false").utf8) } else { null() }
    }

    /// Seconds, to the millisecond.
    mutating func field(_ name: StaticString, seconds: Double) {
        key(name)
        let milliseconds = Int64((min(max(seconds.isFinite ? seconds : 0, 0), 1e12) * 1000).rounded())
        number(milliseconds / 1000)
        let rest = milliseconds % 1000
        guard rest > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var digits = [rest / 100, rest / 10 % 10, rest % 10]
        while digits.last == 0 { digits.removeLast() }
        bytes += digits.map { UInt8(ascii: "0") + UInt8($0) }
    }

    mutating func field(_ name: StaticString, _ value: Date?) { field(name, value?.rfc3339) }

    package mutating func field(_ name: StaticString, _ values: [String]) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            text(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// An object inside this one.
    mutating func object(_ name: StaticString, _ fill: (inout JSONLine) -> Void) {
        key(name)
        open(fill)
    }

    /// An array of objects inside this one.
    mutating func objects<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>, _ fill: (inout JSONLine, Element) -> Void
    ) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            open { fill(&$0, element) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func open(_ fill: (inout JSONLine) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        fill(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    private mutating func key(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes += $0 }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func null() { bytes += Array("null".utf8) }

    private mutating func number(_ value: Int64) { bytes += Array(String(value).utf8) }

    private mutating func text(_ value: String) { JSONString.append(value, to: &bytes, escaping: .terminal) }
}
