/// A video's place by its layout, before it is distinguished from others.
struct VideoPlace: Hashable {
    /// Relative to the library.
    var folder: String
    /// The stem's name in it.
    var name: String

    var path: String { "\(folder)/\(name)" }
}
