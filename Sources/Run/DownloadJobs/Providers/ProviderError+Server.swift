package import ProviderKit

extension ProviderError {
    /// The server that it names, in the form of ``LoginServer``; nil if it names none, or something else than an
    /// address or a short name.
    package var serverName: String? {
        guard let server else { return nil }
        if let known = LoginServer(url: server) { return known.description }
        let isName = server.utf8.allSatisfy { byte in
            (0x30...0x3A).contains(byte) || (0x40...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "._-+".utf8.contains(byte)
        }
        return isName && (1...64).contains(server.utf8.count) ? server : nil
    }
}
