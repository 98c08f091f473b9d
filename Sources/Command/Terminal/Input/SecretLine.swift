/// A hidden line of input, typed or pasted, byte by byte from a terminal in raw mode.
///
/// In raw mode a line doesn't end after 4,095 bytes, as in a terminal's own line editing: tokens can be longer.
package struct SecretLine {
    /// The next action.
    package enum Action: Equatable {
        case more
        case done(String)
        /// Ctrl-D on an empty line.
        case ended
        case tooLong
        case notUTF8
    }

    /// The limit on a line's bytes.
    package static let longest = 64 * 1024

    private enum Sequence {
        case none, escape, parameters
    }

    private var bytes: [UInt8] = []
    private var sequence = Sequence.none

    package mutating func take(_ byte: UInt8) -> Action {
        if sequence != .none {
            skip(byte)
            return .more
        }
        switch byte {
        case 0x0A, 0x0D: return finished
        case 0x04: return bytes.isEmpty ? .ended : finished
        case 0x7F, 0x08: removeCharacter()
        case 0x15, 0x17: bytes = []
        case 0x1B: sequence = .escape
        case 0x09, 0x20...:
            guard bytes.count < Self.longest else { return .tooLong }
            bytes.append(byte)
        default: break
        }
        return .more
    }

    private var finished: Action { String(validating: bytes, as: UTF8.self).map(Action.done) ?? .notUTF8 }

    /// Skips the rest of an escape sequence: arrow keys and similar send several bytes, which aren't part of a secret
    /// (ECMA-48 §5.4).
    private mutating func skip(_ byte: UInt8) {
        switch (sequence, byte) {
        case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")): sequence = .parameters
        case (.parameters, 0x20...0x3F): break
        default: sequence = .none
        }
    }

    private mutating func removeCharacter() {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
