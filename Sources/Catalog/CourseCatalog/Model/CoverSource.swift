import TextFormats

/// The source of a picture.
package enum CoverSource: Sendable, Hashable {
    /// An http or https URL, requested without additions.
    case url(String)
    /// A path beneath the catalog's folder, which is absolute. It is opened without following links.
    case file(String, beneath: String)

    /// The source given by `text` in a catalog in `folder`, which may be an address.
    init(_ text: String, folder: String) {
        if WebAddress.hasScheme(text.utf8) {
            self = .url(text)
        } else if WebAddress.hasScheme(folder.utf8) {
            self = .url("\(folder)/\(PercentEncoding.encoded(path: text))")
        } else {
            self = .file(text, beneath: folder)
        }
    }
}
