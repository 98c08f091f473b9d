internal import CLibYAML

extension YAMLEventReader {
    /// Checks a node's tag and a scalar's size.
    mutating func check(_ event: inout YAMLEvent, tag: UnsafeMutablePointer<UInt8>?) {
        if event.kind == .scalar, event.text.count > limits.scalarBytes {
            mistakes.error(
                at: location(event.position), "this text is longer than \(limits.scalarBytes) bytes")
            event.tag = .mistaken
            event.text = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let tag else { return }
        let name = String(cString: tag)
        let known: YAMLEvent.Tag? =
            switch name {
            case "!": .nonSpecific
            case "tag:yaml.org,2002:str": .string
            case "tag:yaml.org,2002:int": .int
            case "tag:yaml.org,2002:float": .float
            case "tag:yaml.org,2002:bool": .bool
            case "tag:yaml.org,2002:null": .null
            case "tag:yaml.org,2002:seq": .sequence
            case "tag:yaml.org,2002:map": .mapping
            default: nil
            }
        guard let known else {
            let shown = name.hasPrefix("tag:yaml.org,2002:") ? "!!" + name.dropFirst(18) : name
            return mistakes.error(
                at: location(event.position),
                "the tag \(shown.prefix(64)) has no meaning here; quote the value if the ! belongs to it")
        }
        let fits =
            switch (event.kind, known) {
            case (_, .nonSpecific), (.sequenceStart, .sequence), (.mappingStart, .mapping): true
            case (.sequenceStart, _), (.mappingStart, _), (_, .sequence), (_, .mapping): false
            default: true
            }
        guard fits else {
            return mistakes.error(
                at: location(event.position), "the tag !!\(name.dropFirst(18)) doesn't fit this value")
        }
        if event.kind == .scalar { event.tag = known }
    }

    /// Ends the reading for what libyaml, or the input beneath it, can't go on from.
    mutating func stopForParser() throws(YAMLStop) -> Never {
        let mark = parser.pointee.problem_mark
        let position = SourcePosition(line: mark.line + 1, column: mark.column + 1)
        switch input.pointee.failure {
        case .tooLong:
            try stop(.limit, at: .wholeFile, limits.tooLong)
        case .gap:
            let here = parser.pointee.mark
            try stop(
                .limit, at: SourcePosition(line: here.line + 1, column: here.column + 1),
                "\(YAMLInput.longestGap >> 20) MiB without the end of a value")
        case .notUTF8:
            try stop(.syntax, at: SourcePosition(line: 1, column: 1), "the file is UTF-16; save it as UTF-8")
        case .system(let code): try stop(.unreadable(code), at: .wholeFile, "can't be read")
        case .none: break
        }
        let reason = parser.pointee.problem.map { String(cString: $0) } ?? "the text can't be read"
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR: fatalError("libyaml: out of memory")
        case YAML_READER_ERROR:
            let value = Int(parser.pointee.problem_value)
            let message =
                reason == "control characters are not allowed"
                ? "the control character U+\(String(value, radix: 16, uppercase: true)) isn't allowed; write it as an escape in double quotes"
                : "invalid UTF-8 (\(reason)); save the file as UTF-8"
            problem = YAMLProblem(
                .syntax, at: .wholeFile, message, byteOffset: Int(parser.pointee.problem_offset) + input.pointee.skipped
            )
            throw YAMLStop()
        default:
            if parser.pointee.unread > 0, parser.pointee.buffer.pointer?.pointee == UInt8(ascii: "\t") {
                try stop(.syntax, at: position, "a tab can't indent or separate here; use blanks")
            }
            let context = parser.pointee.context.map { String(cString: $0) }
            let contextLine = Int(parser.pointee.context_mark.line) + 1
            try stop(
                .syntax, at: position,
                SyntaxMessage.text(
                    reason, context: context, line: contextLine == Int(mark.line) + 1 ? nil : contextLine))
        }
    }
}
