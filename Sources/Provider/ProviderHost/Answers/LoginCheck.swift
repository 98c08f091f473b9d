package import ProviderKit

/// Requirements for the answer to a login beyond its JSON form. A plugin that violates them is at fault.
package enum LoginCheck {
    private static let questionBound = 20
    private static let nameBound = 64
    private static let textBound = 200
    private static let stateBound = 1024
    private static let waits = 1...60

    /// The mistake in an answer, or nil.
    package static func fault(in login: Login) -> String? {
        guard let step = login.step else { return nil }
        if step.ask.isEmpty, step.wait == nil, step.redirect == nil {
            return "its answer has no 'credentials', and nothing to 'ask', no 'wait' and no 'redirect' before them"
        }
        if step.ask.count > questionBound { return "'ask' in its answer has more than \(questionBound) entries" }
        if Set(step.ask.map(\.name)).count < step.ask.count { return "'ask' in its answer has a name twice" }
        for question in step.ask {
            guard isName(question.name) else {
                return "'name' in 'ask' in its answer isn't 1 to \(nameBound) letters, digits, '.', '_' and '-'"
            }
            if let label = question.label, !isText(label) {
                return "'label' in 'ask' in its answer isn't a line of at most \(textBound) bytes"
            }
        }
        if let page = step.open, let fault = ResolutionCheck.urlFault(page.replacing("{redirect}", with: "redirect")) {
            return "'open' in its answer \(fault)"
        }
        if let code = step.show, !isText(code) {
            return "'show' in its answer isn't a line of at most \(textBound) bytes"
        }
        if let wait = step.wait, !waits.contains(wait) {
            return "'wait' in its answer isn't between \(waits.lowerBound) and \(waits.upperBound) seconds"
        }
        if let redirect = step.redirect {
            if !(8...stateBound).contains(redirect.utf8.count) {
                return "'redirect' in its answer, the state to expect, isn't 8 to \(stateBound) bytes long"
            }
            if step.open?.contains("{redirect}") != true {
                return "'open' in its answer has no {redirect}, so nothing comes back"
            }
        }
        return nil
    }

    /// Whether text is a name as manifests and catalogs have them.
    static func isName(_ name: String) -> Bool {
        (1...nameBound).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    private static func isText(_ text: String) -> Bool {
        (1...textBound).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
