import CPlatform

/// What a file has besides its contents, owner and mode.
package enum FileAttributes {
    /// Whether it has extended attributes, such as an access list; false where they can't be read.
    package static func exist(at path: String) -> Bool { cf_has_attributes(path) == 1 }
}
