package import PathLayout

/// Names by a layout: titles and ids are cleaned as everywhere, whatever surrounds them.
extension LibraryName {
    /// A folder by a layout; nil if its fields are all empty, so that it is omitted.
    package static func folder(_ component: PathLayout.Component, _ values: LayoutValues) -> String? {
        filled(component, values, room: limit)
    }

    /// A file's stem by a layout.
    package static func stem(_ component: PathLayout.Component, _ values: LayoutValues) -> String {
        filled(component, values, room: limit - reserve) ?? "_"
    }

    /// A part of a name.
    private struct Piece {
        var text: String
        /// Whether it may be cut.
        var isField: Bool
    }

    private static func filled(_ component: PathLayout.Component, _ values: LayoutValues, room: Int) -> String? {
        var pieces: [Piece] = []
        var lacks = false
        fill(component.parts, values, &pieces, lacks: &lacks)
        guard component.fields.isEmpty || pieces.contains(where: \.isField) else { return nil }
        fit(&pieces, to: room)
        var name = pieces.map(\.text).joined()
        // An empty field leaves no space at the ends: '{date} {title}' without a date.
        if lacks { name = trimmed(name) }
        return withoutDevice(NameCleaning.cut(NameCleaning.clean(name), to: room))
    }

    private static func fill(
        _ parts: [PathLayout.Part], _ values: LayoutValues, _ pieces: inout [Piece], lacks: inout Bool
    ) {
        for part in parts {
            switch part {
            case .text(let text): pieces.append(Piece(text: text, isField: false))
            case .field(let field, let width):
                let text = values.text(field, width: width)
                if text.isEmpty {
                    lacks = true
                } else {
                    pieces.append(Piece(text: NameCleaning.clean(text), isField: true))
                }
            case .group(let parts):
                if parts.allSatisfy({ $0.fields.allSatisfy { !values.text($0, width: 0).isEmpty } }) {
                    fill(parts, values, &pieces, lacks: &lacks)
                } else {
                    lacks = true
                }
            }
        }
    }

    /// Cuts the longest fields, so that a long course leaves room for the title after it.
    private static func fit(_ pieces: inout [Piece], to room: Int) {
        let fixed = pieces.filter { !$0.isField }.reduce(0) { $0 + $1.text.utf8.count }
        let lengths = pieces.filter(\.isField).map(\.text.utf8.count).sorted()
        guard fixed + lengths.reduce(0, +) > room else { return }
        var left = max(0, room - fixed)
        var longest = 0
        for (index, length) in lengths.enumerated() {
            longest = max(1, left / (lengths.count - index))
            if length > longest { break }
            left -= length
        }
        for index in pieces.indices where pieces[index].isField && pieces[index].text.utf8.count > longest {
            pieces[index].text = NameCleaning.cut(pieces[index].text, to: longest)
        }
    }

    private static func trimmed(_ name: String) -> String {
        let kept = name.drop { $0 == " " }
        return String(kept.prefix(kept.count - kept.reversed().prefix { $0 == " " }.count))
    }
}
