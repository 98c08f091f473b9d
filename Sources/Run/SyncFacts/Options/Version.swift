/// The version of this program.
package enum Version {
    /// In the form of `--version`.
    package static let text = "0.1.0"
}
