import CommandOutput
import Foundation
import NIOCore
import Operations
import SyncFacts

/// Why the server can't be started.
enum ServeFailure {
    struct BadProxy: Error { var text: String }

    static func refusal(_ error: Refusal) -> String { error.message }

    static func failure(_ error: any Error, _ options: ServeOptions) -> String {
        if let error = error as? BadProxy {
            return "proxies, below serve, in the settings file: \(error.text) isn't a numeric address"
        }
        if let error = error as? IOError {
            let reason = String(cString: strerror(error.errnoCode))
            let hint = error.errnoCode == EADDRINUSE ? "; give another one: --port N, or --port 0 for any" : ""
            return "can't listen at \(options.address), port \(options.port): \(reason)\(hint)"
        }
        return "the server can't be started: \(error)"
    }
}
