import Testing

@testable import HLSMedia

@Suite("references of a presentation")
struct PresentationReferenceTests {
    @Test(
        "each counts from the element around it, and stays relative as long as all are",
        arguments: [
            ("", "a.mp4", "a.mp4"), ("x/", "a.mp4", "x/a.mp4"), ("x/y", "a.mp4", "x/a.mp4"), ("x", "a.mp4", "a.mp4"),
            ("x/", "../a.mp4", "x/../a.mp4"), ("x/", "", "x/"), ("x/?q=1#f", "", "x/?q=1"), ("x/?q=/1", "a", "x/a"),
            ("x/y", "?q=1", "x/y?q=1"), ("x/", "/a", "/a"), ("//h/x/", "/a", "//h/a"), ("//h/x/", "a", "//h/x/a"),
            ("https://h/x/y", "a", "https://h/x/a"), ("https://h", "a", "https://h/a"),
            ("https://h/x/", "/a", "https://h/a"), ("https://h/x/", "//i/a", "//i/a"),
            ("https://h/x/", "http://i/a", "http://i/a"), ("x/", "data:,a", "data:,a"),
            ("x/", "video=1:2/a", "x/video=1:2/a"), ("/x/", "a", "/x/a"),
        ])
    func joined(base: String, reference: String, result: String) {
        #expect(PresentationReference.joined(reference, to: base) == result)
    }
}
