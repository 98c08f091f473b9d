import Subprocess

/// A certificate that signs itself, made by openssl for one test run.
package struct TestCertificate: Sendable {
    /// PEM files; the certificate is its own CA.
    package let certificate: String
    package let key: String

    /// Makes it in a folder.
    /// - Parameter names: which it is good for, as openssl writes them.
    package init(in folder: TestFolder, names: String = "DNS:localhost,IP:127.0.0.1") async throws {
        certificate = folder.path("certificate.pem")
        key = folder.path("key.pem")
        let failure: String?
        do {
            let result = try await run(
                .name("openssl"),
                arguments: [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)",
                    "-keyout", key, "-out", certificate,
                ], output: .discarded, error: .string(limit: 16_384))
            failure = result.terminationStatus.isSuccess ? nil : result.standardError
        } catch {
            throw TestServerError("openssl can't be started (\(error)): apt-get install openssl")
        }
        if let failure { throw TestServerError("openssl failed: \(failure)") }
    }
}
