import NetworkAddresses

@testable import HLSMedia

/// Presentations of the tests, from their text to the stream.
enum ParsedPresentation {
    static let url = "https://h/a/p.mpd?token=1"

    /// `content` in an MPD, from line 2 on.
    static func text(_ content: String, _ attributes: String = #"mediaPresentationDuration="PT10S""#) -> String {
        "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" \(attributes)>\n\(content)\n</MPD>"
    }

    /// A picture in the only period.
    static func picture(_ segments: String, _ attributes: String = #"bandwidth="900000" width="640" height="360""#)
        -> String
    {
        """
        <Period><AdaptationSet mimeType="video/mp4"><Representation id="v" \(attributes)>
        \(segments)
        </Representation></AdaptationSet></Period>
        """
    }

    static func source(
        _ text: String, _ preference: StreamPreference = StreamPreference(), indexes: [SegmentIndex] = []
    ) throws -> StreamSource {
        guard let presentation = try Presentation.parse(Array(text.utf8)) else {
            throw StreamSource.Problem.failure(.notMedia(.playlist))
        }
        return try PresentationPlanner(presentation, preference: preference)
            .source(url: url, scope: .world, indexes: indexes)
    }

    /// The stream of a picture alone.
    static func plan(
        _ segments: String, _ attributes: String = #"mediaPresentationDuration="PT10S""#
    ) throws -> StreamPlan {
        try source(text(picture(segments), attributes)).tracks[0]
    }

    /// The reason why there is no such stream; nil if there is one.
    static func problem(
        _ text: String, _ preference: StreamPreference = StreamPreference()
    ) -> StreamSource.Problem? {
        do {
            _ = try source(text, preference)
            return nil
        } catch let error as PresentationError {
            return .presentation(error)
        } catch {
            return error as? StreamSource.Problem
        }
    }

    /// The fact that is told of a picture alone.
    static func fact(
        _ segments: String, _ attributes: String = #"mediaPresentationDuration="PT10S""#
    ) -> PresentationError.Fact? {
        guard case .presentation(let error)? = problem(text(picture(segments), attributes)) else { return nil }
        return error.fact
    }
}
