/// Where a picture comes from.
package enum CoverSource: Sendable, Hashable {
    /// An http or https URL, fetched with nothing added.
    case url(String)
    /// A path beneath the catalog's folder, which is absolute. Whoever opens it follows no link on the way.
    case file(String, beneath: String)

    /// What a catalog in `folder`, which may be an address, means by `text`.
    init(_ text: String, folder: String) {
        if WebAddress.hasScheme(text.utf8) {
            self = .url(text)
        } else if WebAddress.hasScheme(folder.utf8) {
            self = .url("\(folder)/\(WebAddress.encoded(path: text))")
        } else {
            self = .file(text, beneath: folder)
        }
    }
}
