import TextFormats

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
        var text = PercentEncoding.encoded(name, where: isPlain)
        if let start = text.utf8.first, start == UInt8(ascii: ".") || start == UInt8(ascii: "-") {
            text = PercentEncoding.encoded(text.prefix(1)) { _ in false } + text.dropFirst()
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
        } else if let name = PercentEncoding.decoded(folderName), Self.account(name).text == folderName {
            self.init(unchecked: folderName)
        } else {
            return nil
        }
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
