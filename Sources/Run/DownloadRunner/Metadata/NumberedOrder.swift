/// Puts what is gone among what is present.
enum NumberedOrder {
    /// What is present, in its order, and what is gone beside the neighbours of its number: after the greatest one
    /// below, else before the least one above.
    static func merged<Item>(_ present: [Item], _ gone: [Item], by number: (Item) -> Int) -> [Item] {
        guard !gone.isEmpty else { return present }
        let places = present.indices.sorted { (number(present[$0]), $0) < (number(present[$1]), $1) }
        var before: [Int: [Item]] = [:]
        var after: [Int: [Item]] = [:]
        var below = 0
        for item in gone.sorted(by: { number($0) < number($1) }) {
            while below < places.count, number(present[places[below]]) <= number(item) { below += 1 }
            if below > 0 {
                after[places[below - 1], default: []].append(item)
            } else {
                before[places.first ?? 0, default: []].append(item)
            }
        }
        if present.isEmpty { return before[0] ?? [] }
        return present.indices.flatMap { (before[$0] ?? []) + [present[$0]] + (after[$0] ?? []) }
    }
}
