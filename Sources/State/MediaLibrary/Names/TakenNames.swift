/// The names that are taken in one folder: its folders, or the stems of its files.
///
/// Names are compared by ``LibraryName/key(_:)``. The first keeps its name; a later one gets ` [id]`. To rename several
/// at once, ``release(_:)`` all of them first and then ``take(_:id:)`` for each in catalog order, so that two can swap.
package struct TakenNames: Sendable {
    private var keys: Set<String> = []
    /// The number to try next, by the key of the first taken form: many equal titles and ids cost no more than others.
    private var nextAttempt: [String: Int] = [:]

    /// A folder without taken names.
    package init() {}

    /// Whether a name equal to this one is taken.
    package func isTaken(_ name: String) -> Bool { keys.contains(LibraryName.key(name)) }

    /// Records a name that is in use.
    package mutating func insert(_ name: String) { keys.insert(LibraryName.key(name)) }

    /// Gives a name back.
    package mutating func release(_ name: String) { keys.remove(LibraryName.key(name)) }

    /// Takes `wanted` if it is free, else a free form of it, and returns that. `id` may be any text.
    package mutating func take(_ wanted: String, id: String) -> String {
        if keys.insert(LibraryName.key(wanted)).inserted { return wanted }
        let first = LibraryName.distinct(wanted, id: id)
        let firstKey = LibraryName.key(first)
        if keys.insert(firstKey).inserted { return first }
        var attempt = nextAttempt[firstKey] ?? 2
        while true {
            let name = LibraryName.distinct(wanted, id: id, attempt: attempt)
            attempt += 1
            if keys.insert(LibraryName.key(name)).inserted {
                nextAttempt[firstKey] = attempt
                return name
            }
        }
    }
}
