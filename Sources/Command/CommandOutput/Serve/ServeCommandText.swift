import Foundation

/// The output of `serve` itself; what the server says is made by the server.
package enum ServeCommandText {
    package static let notInstalled = """
        the page isn't installed: there is no coursefetch-serve beside coursefetch. Packages have it; a build makes it \
        with: make page
        """

    /// - Parameter error: of the failed call.
    package static func notStarted(_ program: String, _ error: Int32) -> String {
        "\(program) can't be started: \(String(cString: strerror(error)))"
    }
}
