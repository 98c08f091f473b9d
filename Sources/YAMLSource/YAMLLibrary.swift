import CLibYAML

/// The libyaml that this program runs with.
package enum YAMLLibrary {
    /// As it says itself: `0.2.5`.
    package static var version: String { String(cString: yaml_get_version_string()) }
}
