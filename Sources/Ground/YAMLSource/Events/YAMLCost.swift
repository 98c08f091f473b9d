/// The memory of kept values, in bytes: upper estimates, since an array reserves up to twice its size, and is in memory
/// twice while it grows.
package enum YAMLCost {
    /// An event kept for replay, without its text.
    static let event = 112
    /// An anchor, without its name.
    static let anchor = 128
    /// A mapping from a merge key.
    static let merge = 64
    /// A value shared by aliases, without the value itself.
    static let repeatedNode = 256
    /// A list, without its elements.
    package static let list = 48
    /// An element of a list, without its contents.
    static let element = 80
    /// An entry of a mapping of few keys, without its contents.
    static let entry = 96
    /// An entry of a mapping of many keys, without its contents.
    static let indexedEntry = 320

    /// A string with so many bytes of UTF-8: short ones are stored inline.
    package static func text(_ bytes: Int) -> Int { bytes < 16 ? 0 : bytes + 48 }
}
