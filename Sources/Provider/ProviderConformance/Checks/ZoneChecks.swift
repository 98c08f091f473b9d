import Foundation
import ProviderHost
import ProviderKit

/// Times in answers, which mustn't be the clock's on the wall.
struct ZoneChecks {
    /// Nine hours east of the other one, without a database of zones.
    private static let (here, there) = ("UTC0", "JST-9")
    /// Less is the time between two requests.
    private static let tolerance = 1_800.0

    let context: CheckContext

    /// Whether times are the same in another time zone.
    func run() async -> CheckVerdict {
        var requests: [CheckRequest] = []
        if let resolved = context.resolved.first { requests.append(resolved.request) }
        if context.plugin.manifest.methods.contains("list") { requests.append(context.list()) }
        guard !requests.isEmpty else { return .skipped(context.nothingResolved) }
        let (first, second) = (await ask(requests, in: Self.here), await ask(requests, in: Self.there))
        await context.endSession()
        context.zone = nil
        var isTimed = false
        for (here, there) in zip(first, second) {
            if let failure = there.failure, here.fault == nil { return .failed([failure]) }
            let (times, others) = (Self.times(here.raw?["result"]), Self.times(there.raw?["result"]))
            if !times.isEmpty { isTimed = true }
            for (key, text) in times.sorted(by: { $0.key < $1.key }) {
                guard let other = others[key], let date = Timestamp.date(text), let another = Timestamp.date(other),
                    abs(date.timeIntervalSince(another)) >= Self.tolerance
                else { continue }
                return .failed(.dependsOnZone(key: key, here: text, there: other), there.exchange)
            }
        }
        return isTimed ? .passed : .skipped(.noTime)
    }

    private func ask(_ requests: [CheckRequest], in zone: String) async -> [CheckAnswer] {
        await context.endSession()
        context.zone = zone
        var answers: [CheckAnswer] = []
        for request in requests { answers.append(await context.ask(request)) }
        return answers
    }

    /// The times in a result, by their places: `videos[0].published_at`.
    static func times(_ value: JSONValue?, at place: String = "") -> [String: String] {
        switch value {
        case .string(let text):
            let key = place.split(separator: ".").last ?? ""
            return key.hasSuffix("_at") && Timestamp.date(text) != nil ? [place: text] : [:]
        case .array(let values):
            return values.prefix(1_000).enumerated().reduce(into: [:]) { found, item in
                found.merge(times(item.element, at: "\(place)[\(item.offset)]")) { $1 }
            }
        case .object(let members):
            return members.reduce(into: [:]) { found, member in
                guard member.key != "credentials", member.key != "parameters" else { return }
                found.merge(times(member.value, at: place.isEmpty ? member.key : "\(place).\(member.key)")) { $1 }
            }
        case .null, .bool, .int, .double, nil: return [:]
        }
    }
}
