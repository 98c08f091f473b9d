import CourseCatalog
import ProviderKit
import TextFormats
import YAMLSource

/// Parameters of listed videos: in the form of a catalog, of the protocol, and of the state.
extension ListingPages {
    /// The parameters in the form of a catalog, keys sorted.
    static func entries(_ parameters: [String: JSONValue], at location: SourceLocation) -> [YAMLMapping.Entry] {
        parameters.sorted { $0.key < $1.key }.map { key, value in
            YAMLMapping.Entry(key: key, keyLocation: location, value: YAMLNode(value, at: location))
        }
    }

    /// The parameters of the state in the form of a catalog; none if the text isn't a JSON object.
    static func entries(stored text: String?, at location: SourceLocation) -> [YAMLMapping.Entry] {
        guard let text, case .object(let members)? = try? JSONReader.value(of: text.utf8) else { return [] }
        return entries(members, at: location)
    }

    /// The parameters as the state keeps them.
    static func storedText(_ entries: [YAMLMapping.Entry]) -> String? {
        guard !entries.isEmpty else { return nil }
        var bytes: [UInt8] = []
        YAMLNode.appendJSON(entries, to: &bytes, sortingKeys: true)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension YAMLNode {
    /// A value of the protocol in the form of a catalog. Whole numbers beyond 2⁵³ become floating-point numbers.
    init(_ value: JSONValue, at location: SourceLocation) {
        let made: YAMLValue =
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .int(let number): number.magnitude <= 1 << 53 ? .int(Int(number)) : .double(Double(number))
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .array(let values): .sequence(values.map { YAMLNode($0, at: location) })
            case .object(let members): .mapping(YAMLMapping(ListingPages.entries(members, at: location)))
            }
        self.init(made, at: location)
    }
}
