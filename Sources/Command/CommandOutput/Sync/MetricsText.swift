/// Measurements in the text format of Prometheus, which its node exporter reads from files and its server from
/// addresses. Related: Prometheus, Exposition formats.
package struct MetricsText: Sendable {
    /// The labels of a sample, in their order.
    package typealias Labels = [(name: String, value: String)]

    package private(set) var text = ""
    /// Those of every sample.
    private let common: Labels

    package init(_ common: Labels = []) { self.common = common }

    /// Adds a gauge with its samples; nothing without samples.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
        for sample in samples { text += "\(series(name, sample.labels)) \(Self.number(sample.value))\n" }
    }

    /// Adds a gauge with one sample; nothing for nil.
    package mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
        gauge(name, help, value.map { [(labels: [], value: $0)] } ?? [])
    }

    /// The value of a sample in an earlier text with the same labels; nil if there is none.
    package func value(of name: String, in earlier: String) -> Double? {
        let start = series(name, []) + " "
        return earlier.split(separator: "\n").lazy.filter { $0.hasPrefix(start) }.compactMap {
            Double($0.dropFirst(start.count))
        }.first
    }

    private func series(_ name: String, _ labels: Labels) -> String {
        let all = common + labels
        guard !all.isEmpty else { return name }
        return name + "{" + all.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Whole numbers without a fraction.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
