import FileSystem
import Hooks
import MediaTransfer
import SyncFacts

/// Posts notifications to the addresses of their receivers.
struct NotificationPost: Sendable {
    /// The waits between attempts.
    private static let pauses: [Duration] = [.seconds(1), .seconds(4)]

    let caFile: String?
    /// Whether the run has to end: nothing is sent again.
    let isHurried: @Sendable () -> Bool

    /// Repeats what failed for a reason that may be temporary, unless it is to be sent only `once`.
    ///
    /// - Parameter limit: for each attempt, in seconds.
    func send(
        _ body: (bytes: [UInt8], contentType: String), to url: String, limit: Int = 20, once: Bool = false
    ) async -> NotificationProblem? {
        let host = Origin(url: url)?.host ?? ""
        for pause in (once ? [] : Self.pauses.map(Optional.some)) + [nil] {
            let caFile = caFile
            let result = await Blocking.run { _ -> Result<Int, TransferFailure> in
                do throws(TransferFailure) {
                    return .success(
                        try Webhook.post(
                            body.bytes, contentType: body.contentType, to: url,
                            userAgent: "coursefetch/\(Version.text)", caFile: caFile, limit: limit))
                } catch { return .failure(error) }
            }
            let problem: NotificationProblem
            switch result {
            case .success(200..<300): return nil
            case .success(let status):
                problem = .status(status, host: host)
                guard status >= 500 || status == 429 || status == 408 else { return problem }
            case .failure(let failure): problem = .unreachable(host: host, failure.sentence)
            }
            guard let pause, !isHurried() else { return problem }
            try? await Task.sleep(for: pause)
            if isHurried() { return problem }
        }
        return nil
    }
}
