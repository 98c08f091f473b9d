import DownloadStore
import ProviderKit
import Testing

@testable import DownloadJobs

@Suite("a provider's errors as errors of downloads")
struct ProviderErrorTests {
    @Test(
        "a parameter is named where the catalog may be at fault, and nowhere else",
        arguments: [
            (.invalidParameters, "no (parameter endpoint)"), (.notFound, "no (parameter endpoint)"),
            (.unavailable, "no"), (.rateLimited, "no"), (.authRequired, "no"), (.pluginFault, "no"),
        ] as [(ProviderError.Kind, String)])
    func parameter(kind: ProviderError.Kind, message: String) {
        #expect(DownloadError(ProviderError(kind, "no", parameter: "endpoint")).message == message)
        #expect(DownloadError(ProviderError(kind, "no")).message == "no")
    }
}
