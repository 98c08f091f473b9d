import ProviderKit

/// The form of an `error` beyond its JSON types.
enum ErrorForm {
    /// JSON-RPC's code for an unknown method.
    static let methodNotFound = WireError.methodNotFound

    /// The mistakes in the error of an answer to `method`, and whether that said that it may renew credentials.
    static func faults(_ error: JSONValue?, method: String, mayRenew: Bool = true) -> [ConformanceFault] {
        guard let error else { return [] }
        if error["code"]?.int == Int64(methodNotFound) { return [] }
        var faults: [ConformanceFault] = []
        if error["message"]?.string?.isEmpty ?? true { faults.append(.noMessage) }
        let text = error["data"]?["kind"]?.string
        if let kind = text.flatMap(ProviderError.Kind.init(rawValue:)), ProviderError.Kind.ofPlugins.contains(kind) {
            if !ConformanceFault.kinds(of: method, mayRenew: mayRenew).contains(kind) {
                faults.append(.kindForMethod(kind.rawValue, method: method))
            }
        } else {
            faults.append(.kind(text))
        }
        if let wait = error["data"]?["retry_after"], wait != .null, !((wait.double ?? -1) >= 0) {
            faults.append(.retryAfter)
        }
        return faults
    }
}
