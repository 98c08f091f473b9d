/// Where a video belongs by its layout, before it is told apart from others.
struct VideoPlace: Hashable {
    /// Relative to the library.
    var folder: String
    /// The stem's name in it.
    var name: String

    var path: String { "\(folder)/\(name)" }
}
