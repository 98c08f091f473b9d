/// A setting in effect, as `doctor` lists it.
package struct SettingInEffect: Equatable, Sendable {
    /// As in the settings file.
    package var name: String
    /// `–` for none.
    package var value: String
    /// Where the value is from, in words.
    package var origin: String

    package init(name: String, value: String, origin: String) {
        self.name = name
        self.value = value
        self.origin = origin
    }
}
