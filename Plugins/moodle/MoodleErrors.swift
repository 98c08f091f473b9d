import ProviderHTTP
import ProviderKit

/// What Moodle's errors mean. All of them come with the status 200.
enum MoodleErrors {
    /// By `errorcode`. Any other is `unavailable`.
    private static let kinds: [String: ProviderError.Kind] = [
        "invalidtoken": .authRequired, "invalidlogin": .authRequired, "accessexception": .authRequired,
        "forcepasswordchangenotice": .authRequired, "passwordisexpired": .authRequired,
        "usernotconfirmed": .authRequired, "usernotfullysetup": .authRequired,
        "sitepolicynotagreed": .forbidden, "suspended": .forbidden, "noguest": .forbidden,
        "nopermissions": .forbidden, "errorcoursecontextnotvalid": .forbidden, "requireloginerror": .forbidden,
        "servicenotavailable": .forbidden, "enablewsdescription": .forbidden, "webservicesnotenabled": .forbidden,
        "restoredaccountresetpassword": .forbidden,
        "invalidrecord": .notFound, "invalidrecordunknown": .notFound, "invalidcoursemodule": .notFound,
        "invalidcoursemoduleid": .notFound, "invalidcourseid": .notFound,
        "autologinkeygenerationlockout": .rateLimited,
    ]

    /// Of an answer of any of its scripts.
    static let judge: @Sendable (HTTPResponse) -> HTTPClient.Verdict = { response in
        guard response.status == 200, response.body.first == UInt8(ascii: "{"), let answer = try? response.json(),
            let code = answer["errorcode"]?.string
        else { return .status }
        let text = (answer["message"] ?? answer["error"])?.string.map { HTMLStripper.text(of: $0, bound: 300) }
        let host = response.address.host
        let message = text.map { "\(host) says: \($0) (\(code))" } ?? "\(host) answers \(code)"
        return .failed(ProviderError(kinds[code] ?? .unavailable, message))
    }
}
