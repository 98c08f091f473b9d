import ProviderHost
import ProviderKit

/// Requests with secrets that nobody else has, so that each text with one shows a leak.
struct SecretChecks {
    let bench: Bench

    /// Asks everything with made-up secrets, and with a proxy that isn't there. What is found is noted.
    func provoke() async {
        let names = bench.plugin.manifest.credentials
        let proxy = SecretWatch.canary("proxy")
        bench.secrets.learn("proxy", proxy)
        var canaries: [String: JSONValue] = [:]
        for name in names.isEmpty ? ["token"] : names {
            let canary = SecretWatch.canary(name)
            canaries[name] = .string(canary)
            bench.secrets.learn(name, canary)
        }
        let settings: JSONValue = [
            "user_agent": "coursefetch", "proxy": .string("http://anna:\(proxy)@127.0.0.1:9"),
        ]
        let methods = bench.plugin.manifest.methods
        var requests = [bench.usual, bench.usual.with("settings", settings)]
        if methods.contains("list") { requests += [bench.list(), bench.list().with("settings", settings)] }
        for request in requests {
            _ = await bench.ask(request.with("credentials", .object(canaries)))
            if bench.isSilent { return }
        }
        if methods.contains("login") {
            _ = await bench.ask(bench.login(canaries.compactMapValues(\.string)).with("settings", settings))
        }
        // Another id and no parameters: what is missing is told, without what is there.
        _ = await bench.ask(bench.usual.video("no-such-video", [:]).with("credentials", .object(canaries)))
        await bench.endSession()
    }
}
