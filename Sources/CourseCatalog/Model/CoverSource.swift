/// Where a picture comes from.
package enum CoverSource: Sendable, Hashable {
    /// An http or https URL, fetched with nothing added.
    case url(String)
    /// An absolute path beneath the catalog's folder (symbolic links not looked at).
    case file(String)

    /// What a catalog in `folder` means by `text`.
    init(_ text: String, folder: String) {
        self = WebAddress.hasScheme(text.utf8) ? .url(text) : .file(folder == "/" ? "/\(text)" : "\(folder)/\(text)")
    }
}
