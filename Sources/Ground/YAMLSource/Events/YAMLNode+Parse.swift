/// A YAML text that can't be used: at least one error, with source lines.
package struct YAMLParseError: Error, Sendable, Equatable {
    /// In the order of the text; at most ``DiagnosticList/kept``.
    package let diagnostics: [Diagnostic]
    /// Errors beyond those.
    package let omitted: Int

    /// Errors of a text.
    package init(diagnostics: [Diagnostic], omitted: Int = 0) {
        self.diagnostics = diagnostics
        self.omitted = omitted
    }
}

extension YAMLNode {
    /// The one document of a YAML text; null for an empty text.
    ///
    /// - Parameter file: The text's name in locations and diagnostics.
    /// - Throws: All errors, each with its source line.
    package static func parse(
        bytes: UnsafeRawBufferPointer, file: String, limits: YAMLLimits = .smallFile
    ) throws(YAMLParseError) -> YAMLNode {
        let documents = try parseDocuments(bytes: bytes, file: file, limits: limits)
        if documents.count > 1 {
            var extra = documents[1].error("a second document begins here; only one is allowed")
            extra.excerpt = SourceExcerpt(of: extra.location.position, in: bytes)
            throw YAMLParseError(diagnostics: [extra])
        }
        return documents.first
            ?? YAMLNode(.null, at: SourceLocation(file: file, line: 1, column: 1))
    }

    /// The one document of a YAML text; null for an empty text.
    package static func parse(
        bytes: [UInt8], file: String, limits: YAMLLimits = .smallFile
    ) throws(YAMLParseError) -> YAMLNode {
        let result: Result<YAMLNode, YAMLParseError> = bytes.withUnsafeBytes { bytes in
            do throws(YAMLParseError) {
                return .success(try parse(bytes: bytes, file: file, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The one document of a YAML text; null for an empty text.
    package static func parse(
        text: String, file: String, limits: YAMLLimits = .smallFile
    ) throws(YAMLParseError) -> YAMLNode {
        try parse(bytes: Array(text.utf8), file: file, limits: limits)
    }

    static func parseDocuments(
        bytes: UnsafeRawBufferPointer, file: String, limits: YAMLLimits
    ) throws(YAMLParseError) -> [YAMLNode] {
        var reader = YAMLEventReader(bytes: bytes, source: SourceName(file), limits: limits)
        var documents: [YAMLNode] = []
        do throws(YAMLStop) {
            var event = try reader.next()
            while event.kind != .streamEnd {
                if event.kind != .documentStart, event.kind != .documentEnd { documents.append(try reader.node(event)) }
                event = try reader.next()
            }
        } catch {
            if let problem = reader.problem { reader.mistakes.add(problem.diagnostic(in: reader.source, bytes: bytes)) }
        }
        guard reader.mistakes.isEmpty else {
            let located = reader.mistakes.sorted.map { diagnostic in
                var diagnostic = diagnostic
                diagnostic.excerpt = SourceExcerpt(of: diagnostic.location.position, in: bytes)
                return diagnostic
            }
            throw YAMLParseError(diagnostics: located, omitted: reader.mistakes.omitted)
        }
        return documents
    }
}
