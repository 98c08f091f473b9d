import Foundation

/// A page that says why there is no other one.
package struct MessageFacts: Sendable {
    package var status: Int
    package var title: String
    package var text: String
    /// What can be done: a sentence, and a command to type, or a page of this server.
    package var steps: [(text: String, command: String?, page: (path: String, label: String)?)] = []

    package init(status: Int, title: String, text: String) {
        self.status = status
        self.title = title
        self.text = text
    }

    package static let notFound = MessageFacts(
        status: 404, title: "Not found", text: "There is no such page, course or video in this library."
    ).linked("The search finds it if it has moved.", "search", "Search").linked("Or see all.", "courses", "Courses")

    package func linked(_ text: String, _ path: String, _ label: String) -> MessageFacts {
        var copy = self
        copy.steps.append((text, nil, (path, label)))
        return copy
    }

    package func advised(_ text: String, _ command: String? = nil) -> MessageFacts {
        var copy = self
        copy.steps.append((text, command, nil))
        return copy
    }
}

/// The page that says it.
package struct MessagePage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    package func message(_ facts: MessageFacts) -> Fields {
        fields(
            facts.title, nil,
            [
                "text": facts.text, "status": "\(facts.status)",
                "steps": facts.steps.map { step -> Fields in
                    [
                        "text": step.text, "command": orAbsent(step.command),
                        "href": orAbsent(step.page.map { root + $0.path }), "label": orAbsent(step.page?.label),
                    ]
                },
            ])
    }
}
