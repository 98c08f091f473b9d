#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The reason why a text isn't a user's name.
package enum UserNameError: Error, Sendable, Hashable {
    case empty
    /// Longer than 64.
    case tooLong(Int)
    /// It begins with `.` or `-`.
    case badStart(Character)
    /// Something other than a letter, digit, `.`, `_`, `-` or `@`.
    case badCharacter(Character)
}

/// A user: a name inside one account. It is also a folder's name, so it is safe in a path.
package struct UserName: Sendable, Hashable, CustomStringConvertible {
    /// Its form in messages and as a folder's name.
    package let text: String

    package var description: String { text }

    /// 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_`, `-` and `@`, not beginning with `.` or `-`.
    package init(_ text: String) throws(UserNameError) {
        guard let first = text.first else { throw .empty }
        if let bad = text.first(where: { $0.utf8.count != 1 || !($0.utf8.allSatisfy(Self.isPlain)) }) {
            throw .badCharacter(bad)
        }
        if first == "." || first == "-" { throw .badStart(first) }
        guard text.utf8.count <= 64 else { throw .tooLong(text.utf8.count) }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// The user for an account: its name, percent-encoded if it isn't a user's name. Different accounts give different
    /// users.
    package static func account(_ name: String) -> UserName {
        if let user = try? UserName(name) { return user }
        var text = ""
        for (index, byte) in name.utf8.enumerated() {
            let isStart = index == 0 && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-"))
            if isPlain(byte), !isStart {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                text += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        // A folder's name may have 255 bytes; no account's name is nearly as long.
        return UserName(unchecked: text.isEmpty ? "%00" : String(text.prefix(240)))
    }

    package static func ofThisAccount(environment: [String: String]) -> UserName {
        if let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name { return account(String(cString: name)) }
        for variable in ["LOGNAME", "USER"] {
            if let name = environment[variable], !name.isEmpty { return account(name) }
        }
        return account("uid-\(geteuid())")
    }

    /// A user whose folder has this name; nil for a folder that isn't a user's.
    init?(folderName: String) {
        if let user = try? UserName(folderName) {
            self = user
        } else if let name = Self.decoded(folderName), Self.account(name).text == folderName {
            self.init(unchecked: folderName)
        } else {
            return nil
        }
    }

    private static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "@"):
            return true
        default: return false
        }
    }
}
