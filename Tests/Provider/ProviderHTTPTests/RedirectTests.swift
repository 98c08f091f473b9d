import ProviderKit
import Testing

@testable import ProviderHTTP

/// What of a request follows a redirect.
@Suite struct RedirectTests {
    private static func next(
        _ method: String, _ status: Int, to location: String, body: [UInt8]? = nil
    ) throws -> HTTPRequest? {
        let address = try #require(WebAddress("https://media.example.org/login"))
        let response = HTTPResponse(status: status, headers: ["location": location], body: [], address: address)
        let request = HTTPRequest(
            method, address, headers: ["Cookie": "canary"], body: body,
            login: BasicLogin(username: "anna", password: "canary"))
        return try HTTPClient.redirect(of: response, to: request)
    }

    @Test("a body that is sent doesn't follow a redirect to another origin", arguments: [307, 308])
    func bodies(status: Int) throws {
        let secret = Array("password=canary".utf8)
        for other in ["https://other.example.org/", "https://media.example.org:8443/", "//other/x"] {
            for method in ["POST", "PUT"] {
                let error = ProviderError(
                    .unavailable, "media.example.org redirects what is sent to it to another server")
                #expect(throws: error) { try Self.next(method, status, to: other, body: secret) }
            }
        }
        #expect(try Self.next("POST", status, to: "/there", body: secret)?.body == secret)
        let question = try Self.next("PROPFIND", status, to: "https://other.example.org/", body: [1])
        #expect(question?.body == [1], "it has nothing of the person's in it")
        #expect(question?.login == nil && question?.headers == [:])
    }

    @Test("after 303 nothing of the body is left")
    func seeOther() throws {
        let next = try #require(try Self.next("POST", 303, to: "https://other.example.org/", body: [1]))
        #expect(next.method == "GET" && next.body == nil && next.headers == [:])
    }
}
