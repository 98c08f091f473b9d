/// The kinds of sources: one reader each.
package enum SourceKind: String, Sendable, CaseIterable {
    case manifest

    /// Its reader.
    package var reader: any SourceReader.Type {
        switch self {
        case .manifest: ManifestReader.self
        }
    }
}
