import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

/// Which server a login is sent to.
@Suite struct HostLoginsTests {
    private func login(_ credentials: JSONValue, _ address: String) throws -> BasicLogin? {
        HostLogins(Secret(credentials)).login(for: try #require(WebAddress(address)))
    }

    @Test("a login goes to the scheme, host and port that it was typed for; one without a server goes nowhere")
    func servers() throws {
        let entry: JSONValue = ["username": "anna", "password": "pw"]
        let typed: JSONValue = ["hosts": ["https://media.example.org": entry]]
        #expect(try login(typed, "https://media.example.org:443/a")?.username == "anna")
        for other in ["http://media.example.org/", "https://media.example.org:444/", "https://example.org/"] {
            #expect(try login(typed, other) == nil, "\(other)")
        }
        #expect(try login(entry, "https://media.example.org/") == nil)
    }
}
