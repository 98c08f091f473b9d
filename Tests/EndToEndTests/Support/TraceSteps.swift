import Foundation

/// The system calls of an strace log that matter for durability, in order.
struct TraceSteps {
    /// One call: when it began and ended, as positions in the log.
    struct Step {
        var call: String
        /// Everything between the brackets.
        var arguments: String
        var result: String
        var begin: Int
        var end: Int

        var succeeded: Bool { !result.hasPrefix("-1") && !result.hasPrefix("?") }
        /// The paths of its descriptors, as `strace -y` tells them.
        var paths: [String] {
            arguments.split(separator: "<").dropFirst().compactMap { part in
                part.firstIndex(of: ">").map { String(part[..<$0]) }
            }
        }
        /// Its literal texts.
        var texts: [String] {
            let parts = arguments.split(separator: "\"", omittingEmptySubsequences: false)
            return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
        }
    }

    private(set) var steps: [Step] = []

    init(_ log: [Substring]) {
        var unfinished: [Substring: Step] = [:]
        for (position, line) in log.enumerated() {
            guard let space = line.firstIndex(of: " ") else { continue }
            let thread = line[..<space]
            let text = line[space...].drop { $0 == " " }
            if text.hasPrefix("<... ") {
                guard var step = unfinished.removeValue(forKey: thread) else { continue }
                step.end = position
                step.result = Self.result(text)
                steps.append(step)
                continue
            }
            guard let bracket = text.firstIndex(of: "("), !text.hasPrefix("---"), !text.hasPrefix("+++") else {
                continue
            }
            var step = Step(
                call: String(text[..<bracket]), arguments: String(text[text.index(after: bracket)...]), result: "",
                begin: position, end: position)
            if text.hasSuffix("<unfinished ...>") {
                step.arguments = String(step.arguments.dropLast("<unfinished ...>".count))
                unfinished[thread] = step
            } else {
                step.result = Self.result(text)
                steps.append(step)
            }
        }
    }

    private static func result(_ text: Substring) -> String {
        guard let equals = text.range(of: " = ", options: .backwards) else { return "?" }
        return String(text[equals.upperBound...])
    }

    /// The successful calls of these names that a condition holds for.
    func all(_ calls: Set<String>, _ condition: (Step) -> Bool) -> [Step] {
        steps.filter { calls.contains($0.call) && $0.succeeded && condition($0) }
    }
}
