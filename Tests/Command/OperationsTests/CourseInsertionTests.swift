import Testing

@testable import Operations

@Suite("A course that is added to a catalog's text")
struct CourseInsertionTests {
    private let course = "  - id: new\n    discover: true\n"

    private func added(to text: String) -> String? { CourseInsertion.text(adding: course, to: text) }

    @Test(
        "it stands behind the others, indented as they are; what follows the list stays behind it",
        arguments: [
            ("courses:\n- id: a\n", "courses:\n- id: a\n- id: new\n  discover: true\n"),
            ("courses:\n    - id: a\n", "courses:\n    - id: a\n    - id: new\n      discover: true\n"),
            (
                "courses:\n  -\n    id: a\n    # its end\n\n# next\nx: 1\n",
                "courses:\n  -\n    id: a\n    # its end\n  - id: new\n    discover: true\n\n# next\nx: 1\n"
            ),
            ("courses:\n  - id: a", "courses:\n  - id: a\n  - id: new\n    discover: true\n"),
            ("courses: [ ]  # none\nx: 1\n", "courses:  # none\n  - id: new\n    discover: true\nx: 1\n"),
            ("version: 1\n", "version: 1\ncourses:\n  - id: new\n    discover: true\n"),
            ("---\ncourses:\n- id: a\n...\n", "---\ncourses:\n- id: a\n- id: new\n  discover: true\n...\n"),
            (
                "courses:\n  - id: a\n\n  - id: b\n",
                "courses:\n  - id: a\n\n  - id: b\n\n  - id: new\n    discover: true\n"
            ),
            ("courses:\r\n  - id: a\r\n", "courses:\r\n  - id: a\r\n  - id: new\r\n    discover: true\r\n"),
        ])
    func places(text: String, wanted: String) { #expect(added(to: text) == wanted) }

    @Test(
        "what can't be added to line by line, or would be read otherwise, is left alone",
        arguments: [
            "courses: [{id: a}]\n", "courses: &all\n- id: a\n", "{courses: [{id: a}]}\n", "courses:\n  id: a\n",
            // The blank lines belong to the text.
            "courses:\n  - id: a\n    text: |+\n      b\n\n\n", "courses: *a\n", "- id: a\n", "courses:\n\t- id: a\n",
        ])
    func leftAlone(text: String) { #expect(added(to: text) == nil) }
}
