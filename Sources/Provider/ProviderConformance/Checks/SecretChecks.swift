import ProviderHost
import ProviderKit

/// Requests with secrets that nobody else has, so that each text with one shows a leak.
struct SecretChecks {
    let context: CheckContext

    /// Asks everything with made-up secrets, and with a proxy that isn't there. What is found is noted.
    func provoke() async {
        guard !context.settings.leavesOutLogins else { return }
        let names = context.plugin.manifest.credentials
        let proxy = SecretWatch.canary("proxy")
        context.secrets.learn("proxy", proxy)
        var canaries: [String: JSONValue] = [:]
        for name in names.isEmpty ? ["token"] : names {
            let isSession = context.plugin.manifest.cookies.contains(name)
            let canary = isSession ? context.canary.session(name) : SecretWatch.canary(name)
            canaries[name] = .string(canary)
            context.secrets.learn(name, canary)
            context.secrets.learn(credentials: .string(canary), under: name)
        }
        let settings: JSONValue = [
            "user_agent": "coursefetch", "proxy": .string("http://anna:\(proxy)@127.0.0.1:9"),
        ]
        let methods = context.plugin.manifest.methods
        var requests = [context.usual, context.usual.with("settings", settings)]
        if methods.contains("list") { requests += [context.list(), context.list().with("settings", settings)] }
        for request in requests {
            _ = await context.ask(request.with("credentials", .object(canaries)))
            if context.isSilent { return }
        }
        if methods.contains("login"), !context.settings.isRealHost {
            _ = await context.ask(context.login(canaries.compactMapValues(\.string)).with("settings", settings))
        }
        // Another id and no parameters: what is missing is told, without what is there.
        _ = await context.ask(context.usual.video("no-such-video", [:]).with("credentials", .object(canaries)))
        await context.endSession()
    }
}
