internal import CLibYAML

extension YAMLInput {
    /// The reason why libyaml, or its input, can't continue.
    func problem(of parser: yaml_parser_t, _ limits: YAMLLimits) -> YAMLProblem {
        switch failure {
        case .tooLong: return YAMLProblem(.limit, at: .wholeFile, limits.tooLong)
        case .gap:
            return YAMLProblem(
                .limit, at: SourcePosition(parser.mark), "\(Self.longestGap >> 20) MiB without the end of a value")
        case .notUTF8:
            return YAMLProblem(
                .syntax, at: SourcePosition(line: 1, column: 1), "the file is UTF-16; save it as UTF-8")
        case .system(let code): return YAMLProblem(.unreadable(code), at: .wholeFile, "can't be read")
        case .none: break
        }
        let reason = parser.problem.map { String(cString: $0) } ?? "the text can't be read"
        switch parser.error {
        case YAML_MEMORY_ERROR: fatalError("libyaml: out of memory")
        case YAML_READER_ERROR:
            let value = Int(parser.problem_value)
            let message =
                reason == "control characters are not allowed"
                ? """
                the control character U+\(String(value, radix: 16, uppercase: true)) isn't allowed; write it as an \
                escape in double quotes
                """
                : "invalid UTF-8 (\(reason)); save the file as UTF-8"
            return YAMLProblem(
                .syntax, at: .wholeFile, message, byteOffset: Int(parser.problem_offset) + skipped)
        default: return YAMLProblem(.syntax, at: SourcePosition(parser.problem_mark), Self.syntax(reason, parser))
        }
    }

    private static func syntax(_ reason: String, _ parser: yaml_parser_t) -> String {
        if parser.unread > 0, parser.buffer.pointer?.pointee == UInt8(ascii: "\t") {
            return "a tab can't indent or separate here; use spaces"
        }
        let contextLine = parser.context_mark.line
        return SyntaxMessage.text(
            reason, context: parser.context.map { String(cString: $0) },
            line: contextLine == parser.problem_mark.line ? nil : Int(contextLine) + 1)
    }
}

extension SourcePosition {
    /// From libyaml's marks, which count from 0.
    init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}
