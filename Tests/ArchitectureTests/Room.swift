import Checkout

/// A room of the product: a folder of a floor, beneath Sources.
struct Room {
    let floor: String
    let name: String

    var folder: String { "Sources/\(floor)/\(name)" }
    var files: [String] { Checkout.swiftFiles(under: folder) }

    /// The floors, from the lowest to the highest: the list in docs/architecture.md.
    static let floors: [String] = {
        let text = (try? Checkout.text("docs/architecture.md")) ?? ""
        return text.matches(of: /(?m)^- \*\*([A-Z]\w+)\*\*:/).map { String($0.1) }.reversed()
    }()

    static let all = floors.flatMap { floor in
        Checkout.folders(in: "Sources/" + floor).map { Room(floor: floor, name: $0) }
    }

    static func named(_ name: String) -> Room? { all.first { $0.name == name } }

    /// The folders of a room.
    var folders: [String] { Checkout.folders(in: folder) }
}
