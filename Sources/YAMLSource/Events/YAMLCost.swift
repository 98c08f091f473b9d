/// What it takes to keep something of a text, in bytes: upper estimates, which count that an array has up to twice the room
/// that it needs, and lies in memory twice while it grows.
package enum YAMLCost {
    /// An event that is kept for replay, its text aside.
    static let event = 112
    /// An anchor, its name aside.
    static let anchor = 128
    /// A mapping that a merge key brings in.
    static let merge = 64
    /// A value that aliases share, itself aside.
    static let repeatedNode = 256
    /// A list, its elements aside.
    package static let list = 48
    /// An element of a list, what it refers to aside.
    static let element = 80
    /// An entry of a mapping of few keys, what it refers to aside.
    static let entry = 96
    /// An entry of a mapping of many keys, what it refers to aside.
    static let indexedEntry = 320

    /// A string with so many bytes of UTF-8: short ones are stored inline.
    package static func text(_ bytes: Int) -> Int { bytes < 16 ? 0 : bytes + 48 }
}
