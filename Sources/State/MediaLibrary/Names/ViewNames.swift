package import PathLayout

/// How the files of a video's other views are named beside its own.
package struct ViewNames: Sendable {
    private let component: PathLayout.Component?
    private var values: LayoutValues?

    /// `Talk (presentation)`.
    package static let standard = ViewNames()

    private init() { component = nil }

    /// By a layout with `{stream}`; nil if it has none. `values` are the video's.
    package init?(_ layout: PathLayout, _ values: @autoclosure () -> LayoutValues) {
        guard layout.namesViews, let file = layout.components.last else { return nil }
        component = file
        self.values = values()
    }

    /// Whether a layout names them.
    package var areOfLayout: Bool { component != nil }

    /// A view's path without its extension. `stem` is that of the video's own file: if it has the id appended, so has
    /// this one.
    package func stem(of role: String, beside stem: String, id: String) -> String {
        guard let component, var values else { return LibraryName.view(beside: stem, role: role) }
        let (folder, name) = LibraryPathParts.split(stem)
        let attempt = LibraryName.attempt(name, as: LibraryName.stem(component, values), id: id)
        values.video?.stream = LibraryName.label(ofView: role)
        let own = LibraryName.stem(component, values)
        return "\(folder)/\(attempt.map { LibraryName.distinct(own, id: id, attempt: $0) } ?? own)"
    }
}
