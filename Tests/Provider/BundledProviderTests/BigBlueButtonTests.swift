import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

@Suite("the signatures of BigBlueButton")
struct BigBlueButtonTests {
    /// From its own documentation (docs/development/api.md), from littleredbutton/bigbluebutton-api-php
    /// (tests/unit/Util/UrlBuilderTest.php), and from Scalelite (test/controllers/bigbluebutton_api_controller_test.rb). The
    /// last two of openssl, since nobody publishes any.
    @Test(
        "checksums are those of others",
        arguments: [
            (
                .sha1,
                "createname=Test+Meeting&meetingID=abc123&attendeePW=111222&moderatorPW=333444639259d4-9dd8-4b25-bf01-95f9567eaf4b",
                "1fcbb0c4fc1f039f73aa6d697d2db9ba7f803f17"
            ),
            (.sha1, "getMeetingsfoo=bar&baz=bazingaAFFE", "8c313ec566a91bb9a409b51a0f515f53216a43ae"),
            (.sha1, "getMeetingsAFFE", "e0a2f45a343479c590e64a9bdd673331adff2a75"),
            (
                .sha256, "getMeetingsfoo=bar&baz=bazingaAFFE",
                "e93a022a742425259bf3acec803ad8b4e428e7653b66bfecfa60d935a04bcc3b"
            ),
            (
                .sha256, "getMeetingInfomeetingID=test-meeting-1test-1",
                "7901d9cf0f7e63a7e5eacabfd75fabfb223259d6c045ac5b4d86fb774c371945"
            ),
            (
                .sha384, "getMeetingsAFFE",
                "f04be104b3725ffe0a950f4b37d4905ea449edc2aa93036a9d7cfa3e631993da0c87c0c49bd8d79a85f9678522e7fc25"
            ),
            (
                .sha512, "getMeetingsAFFE",
                "ce6a2cefa0df3f2a3e7bc57e6f2c7bd7964d76d901eb7f54bed613fb268e5c7eaedf98e9271d7f4dd2ebc0e630109434e4bb9eb7b7f6fd72b1a4923649024fe0"
            ),
        ] as [(BigBlueButtonAPI.Algorithm, String, String)])
    func digest(algorithm: BigBlueButtonAPI.Algorithm, text: String, digest: String) {
        #expect(algorithm.digest(text) == digest)
    }

    @Test(
        "the API of a server, whichever of its addresses is given",
        arguments: ["", "/", "/bigbluebutton", "/bigbluebutton/", "/bigbluebutton/api", "/bigbluebutton/api/"])
    func address(path: String) throws {
        let endpoint = try #require(WebAddress("https://bbb.example.org" + path))
        let client = HTTPClient(settings: .init())
        #expect(
            BigBlueButtonAPI(endpoint, "secret", by: .sha1, client).address.text
                == "https://bbb.example.org/bigbluebutton/api")
    }
}
