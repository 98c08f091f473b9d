/// Rewords libyaml's errors for the author of a file.
enum SyntaxMessage {
    /// One sentence for libyaml's problem and its context.
    ///
    /// - Parameter line: The line of the context, if it differs from the problem's.
    static func text(_ problem: String, context: String?, line: Int?) -> String {
        let base = plain[problem] ?? problem
        guard let line, let context, let place = contexts[context] else { return base }
        return "\(base) (\(place) that begins on line \(line))"
    }

    private static let contexts = [
        "while parsing a block mapping": "in the mapping",
        "while parsing a block collection": "in the list",
        "while parsing a flow mapping": "in the {…}",
        "while parsing a flow sequence": "in the […]",
        "while scanning a quoted scalar": "in the quoted text",
        "while parsing a quoted scalar": "in the quoted text",
        "while scanning a simple key": "in the key",
        "while scanning a block scalar": "in the block of text",
    ]

    private static let plain = [
        "did not find expected key": "a key was expected here; is it indented like the keys above?",
        "did not find expected '-' indicator": "a '- ' was expected here; is it indented like the list above?",
        "did not find expected ',' or '}'": "a ',' or '}' was expected here",
        "did not find expected ',' or ']'": "a ',' or ']' was expected here",
        "did not find expected node content": "a value was expected here",
        "did not find expected <document start>":
            "the text continues after its end; is it indented like the first line?",
        "found character that cannot start any token":
            "this character can't begin a value; put the value in quotes",
        "found a tab character that violates indentation": "a tab can't indent; use spaces",
        "found a tab character where an indentation space is expected": "a tab can't indent; use spaces",
        "mapping values are not allowed in this context":
            "a ': ' isn't allowed here; put the value in quotes, or the key on a line of its own",
        "block sequence entries are not allowed in this context":
            "a list can't begin here; begin it on a line of its own",
        "mapping keys are not allowed in this context": "a key can't begin here",
        "could not find expected ':'": "a ':' was expected after the key, on the same line and within 1,024 characters",
        "found unexpected end of stream": "the file ends in the middle of this",
        "found unexpected document indicator": "a line of '---' or '...' is inside quoted text",
        "found unknown escape character":
            "this escape doesn't exist; write '\\\\' for a backslash, or use single quotes",
        "found undefined tag handle":
            "this tag has a prefix that isn't declared; if the ! is part of the value, quote it",
        "found incompatible YAML document": "this file needs a YAML version other than 1.1 or 1.2",
        "found duplicate %YAML directive": "the file has two %YAML lines",
        "did not find expected alphabetic or numeric character":
            "a name was expected after & or *; if the sign is part of the value, quote it",
    ]
}
