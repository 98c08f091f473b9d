import ProviderHost
import ProviderKit

/// What the plugin makes of addresses.
struct RecogniseChecks {
    /// Nobody's address.
    private static let foreign = "coursefetch:nothing"

    let context: CheckContext

    /// Whether it leaves a foreign address alone, and has a valid answer for that of its server.
    func run() async -> CheckVerdict {
        let manifest = context.plugin.manifest
        guard manifest.methods.contains("recognise") else { return .skipped(.noMethod("recognise")) }
        let foreign = await context.ask(context.recognise(Self.foreign))
        if let failure = foreign.failure { return .failed([failure]) }
        guard let answer = foreign.recognition, answer.course == nil, answer.video == nil else {
            return .failed(.takesForeignAddress, foreign.exchange)
        }
        guard let address = context.settings.parameters[manifest.server]?.string else { return .passed }
        let own = await context.askRecorded(context.recognise(address)).answered
        if let failure = own.failure { return .failed([failure]) }
        let parameters = own.recognition?.course?.parameters ?? own.recognition?.video?.parameters ?? [:]
        let schema = SchemaChecks(plugin: context.plugin, settings: context.settings)
        return CheckVerdict(schema.mistakes(parameters).map { CheckFailure(.parameter($0), own.exchange) })
    }
}
