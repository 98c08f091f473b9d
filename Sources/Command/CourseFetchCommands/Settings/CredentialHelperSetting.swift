import SyncFacts

/// A credential helper as text: `COMMAND` for all providers, or `PROVIDER=COMMAND`.
struct CredentialHelperSetting: Sendable, Equatable, CustomStringConvertible {
    let provider: String?
    let command: String

    init(_ text: String) {
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == ".") }
        if !name.isEmpty, text.dropFirst(name.count).first == "=" {
            provider = String(name)
            command = text.dropFirst(name.count + 1).trimmingPrefix(" ").description
        } else {
            provider = nil
            command = text
        }
    }

    var description: String { provider.map { "\($0)=\(command)" } ?? command }
}

extension SyncSettings {
    /// The credential helpers; of two for one provider the one from the stronger layer counts.
    var credentialHelpers: CredentialHelpers {
        var helpers = CredentialHelpers()
        for helper in self.credentialHelper.value { helpers.add(helper.command, of: helper.provider) }
        return helpers
    }
}
