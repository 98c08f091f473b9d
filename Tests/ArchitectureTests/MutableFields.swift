/// The mutable stored properties of a Swift file's classes and actors.
///
/// Counts each `var` of the class itself, and those of a structure of the same file that the class keeps in a `Mutex`:
/// these are its fields, too. A value with rules has a file of its own, and isn't counted.
///
/// Reads lines, since `swift format` indents each member by four columns more than its type.
struct MutableFields {
    private struct Declared {
        var name: String
        var indent: Int
        var isShared: Bool
        var fields = 0
        /// The types that it keeps in a `Mutex`.
        var guarded: Set<String> = []
    }

    /// By the name of the class or actor, outer types before a dot.
    let counts: [String: Int]

    init(_ lines: [String]) {
        var types: [Declared] = []
        var open: [Int] = []
        for (number, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indent)
            guard let first = code.first, first != "#", first != "{" else { continue }
            while let last = open.last, indent <= types[last].indent { open.removeLast() }
            if let (kind, name) = Self.type(code) {
                let path = (open.last.map { [types[$0].name] } ?? []) + [name]
                open.append(types.count)
                types.append(
                    Declared(
                        name: path.joined(separator: "."), indent: indent,
                        isShared: kind == "class" || kind == "actor"))
            }
            guard let type = open.last else { continue }
            types[type].guarded.formUnion(Self.guarded(code))
            let next = number + 1 < lines.count ? lines[number + 1] : ""
            if indent == types[type].indent + 4 { types[type].fields += Self.fields(code, next) }
        }
        counts = Dictionary(
            types.filter(\.isShared).map { type in
                let kept = type.guarded.map { name in
                    let named = types.filter { !$0.isShared && ($0.name == name || $0.name.hasSuffix(".\(name)")) }
                    let own = named.filter { $0.name.hasPrefix("\(type.name).") }
                    return (own.isEmpty ? named : own).reduce(0) { $0 + $1.fields }
                }
                return (type.name, type.fields + kept.reduce(0, +))
            }, uniquingKeysWith: max)
    }

    /// The kind and name of a type that is declared or extended.
    private static func type(_ code: Substring) -> (kind: Substring, name: String)? {
        guard has(code, ["class", "actor", "struct", "enum", "extension"]) else { return nil }
        let form = /(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)*?(class|actor|struct|enum|extension)\s+([A-Z][\w.]*)/
        return code.prefixMatch(of: form).map { ($0.1, String($0.2)) }
    }

    /// The number of stored properties that a line declares as variable. A computed one has a brace, but no observer.
    private static func fields(_ code: Substring, _ next: String) -> Int {
        guard has(code, ["var"]) else { return 0 }
        let form = /(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+(?:\([^)]*\))?\s+)*?var\s+(\([^)]*\)|\w+)(.*)/
        guard let match = code.prefixMatch(of: form), !code.contains(/^[^=]*\bstatic\s/) else { return 0 }
        let type = match.2.prefix { $0 != "=" }
        let isObserved = [String(match.2), next].contains { $0.contains(/\b(?:didSet|willSet)\b/) }
        guard !type.contains("{") || isObserved else { return 0 }
        return match.1.split(separator: ",").count
    }

    private static func guarded(_ code: Substring) -> [String] {
        guard code.utf8.contains(UInt8(ascii: "M")) else { return [] }
        return code.matches(of: /Mutex[<(](?:\w+\.)*(\w+)/).map { String($0.1) }
    }

    /// Whether one of the words is there. Most lines have none, and the patterns are slow.
    private static func has(_ code: Substring, _ words: [String]) -> Bool {
        code.utf8.split(separator: UInt8(ascii: " ")).contains { word in words.contains { word.elementsEqual($0.utf8) }
        }
    }
}
