import CLibYAML

package enum YAMLLibrary {
    /// The version that it reports: `0.2.5`.
    package static var version: String { String(cString: yaml_get_version_string()) }
}
