import YAMLSource

/// Adds a course at the end of a catalog's list of courses. All other lines stay as they are: comments, order, line
/// ends.
struct CourseInsertion {
    /// Without their LF.
    private var lines: [String]
    private let isCRLF: Bool

    /// The catalog with the course; nil if its list isn't written so that a line can be added to it, such as in one
    /// line.
    ///
    /// - Parameters:
    ///   - course: the entry, whose dash has two blanks before it, with LF behind each line.
    ///   - text: the catalog.
    static func text(adding course: String, to text: String) -> String? {
        var insertion = CourseInsertion(text)
        guard insertion.insert(course) else { return nil }
        let result = insertion.lines.joined(separator: "\n")
        return isRight(result, from: text, course) ? result : nil
    }

    private init(_ text: String) {
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        isCRLF = lines.first?.utf8.last == UInt8(ascii: "\r")
    }

    private mutating func insert(_ course: String) -> Bool {
        let start = lines.firstIndex {
            $0.utf8.starts(with: "courses".utf8) && $0.prefixMatch(of: /courses[ \t]*:(?:[ \t\r]|$)/) != nil
        }
        guard let start else {
            // It has included files only.
            if lines.last?.isEmpty == true { lines.removeLast() }
            add(["courses:"] + entry(course, indent: 2), at: lines.count)
            return true
        }
        let value = lines[start].drop { $0 != ":" }.dropFirst()
        if let empty = value.wholeMatch(of: /([ \t]*)\[[ \t]*\]([ \t]*(?:#.*)?\r?)/) {
            lines[start] = "courses:" + empty.2
            add(entry(course, indent: 2), at: start + 1)
            return true
        }
        guard value.wholeMatch(of: /[ \t]*(?:#.*)?\r?/) != nil else { return false }
        let first = lines[(start + 1)...].first { !Self.isBlank($0) && !Self.isComment($0) }
        guard let first, let indent = Self.dash(first) else { return false }
        let end = lines[(start + 1)...].firstIndex { Self.isBehind($0, indent: indent) } ?? lines.endIndex
        // Comments in the list belong to it; those at the margin, and blank lines, to what follows.
        let last = lines[start..<end].lastIndex { line in
            !Self.isBlank(line) && (!Self.isComment(line) || Self.margin(line) > 0)
        }
        guard let last else { return false }
        let dashes = lines[(start + 1)...last].indices.filter { Self.dash(lines[$0]) == indent }
        let isSpaced = dashes.count > 1 && Self.isBlank(lines[dashes[dashes.count - 1] - 1])
        add((isSpaced ? [""] : []) + entry(course, indent: indent), at: last + 1)
        return true
    }

    /// The lines of the entry, with the dash at another place.
    private func entry(_ course: String, indent: Int) -> [String] {
        course.split(separator: "\n").map { String(repeating: " ", count: indent) + $0.dropFirst(2) }
    }

    private mutating func add(_ added: [String], at place: Int) {
        // What is behind the last LF isn't a line.
        if place == lines.count, isCRLF, let last = lines.last, !last.hasSuffix("\r"), !last.isEmpty {
            lines[place - 1] += "\r"
        }
        lines.insert(contentsOf: isCRLF ? added.map { $0 + "\r" } : added, at: place)
        if lines.last?.isEmpty == false { lines.append("") }
    }

    /// Whether nothing but the new course has changed, as YAML is read.
    private static func isRight(_ result: String, from text: String, _ course: String) -> Bool {
        guard let before = mapping(text), let after = mapping(result), let entry = mapping("a:\n" + course)?["a"] else {
            return false
        }
        let courses = (before["courses"]?.sequence ?? []) + (entry.sequence ?? [])
        let others = { (mapping: YAMLMapping) in
            mapping.filter { $0.key != "courses" }.map { [$0.key: $0.value] }
        }
        return after["courses"]?.sequence == courses && others(before) == others(after)
    }

    private static func mapping(_ text: String) -> YAMLMapping? {
        do {
            return try YAMLNode.parse(bytes: Array(text.utf8), file: "", limits: .catalog).mapping
        } catch { return nil }
    }

    /// Whether a line is no longer in the list whose dashes have this indentation.
    private static func isBehind(_ line: String, indent: Int) -> Bool {
        if line.hasPrefix("---") || line.hasPrefix("...") { return true }
        return !isBlank(line) && !isComment(line) && margin(line) == 0 && !(indent == 0 && dash(line) == 0)
    }

    /// The indentation of a line that begins an entry; nil of another one.
    private static func dash(_ line: String) -> Int? {
        let rest = line.utf8.drop { $0 == UInt8(ascii: " ") }
        guard rest.first == UInt8(ascii: "-") else { return nil }
        let isEntry = rest.dropFirst().first.map { [0x20, 0x09, 0x0D].contains($0) } ?? true
        return isEntry ? line.utf8.count - rest.count : nil
    }

    private static func margin(_ line: String) -> Int { line.utf8.prefix { $0 == UInt8(ascii: " ") }.count }
    private static func isBlank(_ line: String) -> Bool { line.utf8.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } }

    private static func isComment(_ line: String) -> Bool {
        line.utf8.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } == UInt8(ascii: "#")
    }
}
