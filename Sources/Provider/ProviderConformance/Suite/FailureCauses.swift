/// The causes of failures that were told, so that each is told once: what keeps a plugin from one answer keeps it from
/// others, too.
struct FailureCauses {
    private var told: [String: ConformanceCheck] = [:]

    /// The verdict without what an earlier check has told; skipped if that was all of it.
    mutating func told(_ verdict: CheckVerdict, by check: ConformanceCheck) -> CheckVerdict {
        guard case .failed(let failures) = verdict else { return verdict }
        var earlier: ConformanceCheck?
        var rest: [CheckFailure] = []
        for failure in failures {
            guard let cause = Self.cause(failure.fault) else {
                rest.append(failure)
                continue
            }
            if let other = told[cause] {
                if other != check { earlier = other }
            } else {
                told[cause] = check
                rest.append(failure)
            }
        }
        if rest.isEmpty, let earlier { return .skipped(.sameCause(earlier)) }
        return .failed(rest)
    }

    /// What two failures of one cause have in common; nil for what only this check can find.
    private static func cause(_ fault: ConformanceFault) -> String? {
        switch fault {
        case .cannotStart(let reason): "start \(reason)"
        case .ended(let status, let stderr): "end \(status ?? 0) \(stderr.last ?? "")"
        case .noAnswer(_, let stderr): "silence \(stderr.last ?? "")"
        case .tooLongLine: "length"
        case .answer(let reason): "answer \(reason)"
        case .refused(let kind, let message): "refusal \(kind) \(message)"
        default: nil
        }
    }
}
