import ProviderHost
import ProviderKit
import YAMLSource

/// The parameters of the check against the manifest's schema.
struct SchemaChecks {
    let plugin: Plugin
    let settings: CheckSettings

    /// Whether the given parameters fit. Defaults do: a manifest is refused otherwise.
    func run() -> CheckVerdict {
        CheckVerdict(mistakes(settings.parameters).map { CheckFailure(.parameter($0)) })
    }

    /// Without those about what is missing: a video may have it.
    func mistakes(_ parameters: [String: JSONValue]) -> [String] {
        let place = SourceLocation(SourceName(plugin.name), .wholeFile)
        var nodes = parameters.mapValues { YAMLNode($0.yaml(at: place), at: place) }
        var filler: Set<String> = []
        for name in plugin.manifest.parameters.required where nodes[name] == nil {
            filler.insert(name)
            nodes[name] = YAMLNode(.null, at: place)
        }
        return plugin.validate(nodes, at: place).map(\.summary).filter { summary in
            !filler.contains { summary.contains("'\($0)'") }
        }
    }
}

extension JSONValue {
    fileprivate func yaml(at place: SourceLocation) -> YAMLValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(Int(value))
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let values): .sequence(values.map { YAMLNode($0.yaml(at: place), at: place) })
        case .object(let members):
            .mapping(
                YAMLMapping(
                    members.sorted { $0.key < $1.key }.map { name, value in
                        .init(key: name, keyLocation: place, value: YAMLNode(value.yaml(at: place), at: place))
                    }))
        }
    }
}
