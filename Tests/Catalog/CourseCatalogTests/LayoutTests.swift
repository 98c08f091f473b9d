import PathLayout
import Testing

@testable import CourseCatalog

@Suite("A catalog's layout, dates and descriptions")
struct LayoutTests {
    @Test("a course's layout overrides its file's, which overrides that of the including file")
    func inheritance() throws {
        let folder = try CatalogFolder([
            "b.yaml": "version: 1\ncourses: [{id: b, videos: [v]}]\n",
            "c.yaml": "version: 1\nlayout: jellyfin\ncourses: [{id: c, videos: [v]}]\n",
        ])
        try folder.write(
            """
            version: 1
            include: [b.yaml, c.yaml]
            layout: plex
            defaults: {provider: p}
            courses: [{id: a1, layout: podcast, videos: [v]}, {id: a2, videos: [v]}]
            """, to: "catalog.yaml")
        let reading = folder.read()
        #expect(reading.verdict == .valid, "\(reading.report)")
        let layouts = reading.catalog.courses.map { $0.layout?.template }
        #expect(layouts == [LayoutPreset.podcast, .plex, .plex, .jellyfin].map(\.template))
    }

    @Test("a mistake in a template is reported at its column")
    func mistakes() throws {
        let folder = try CatalogFolder(
            catalog: """
                layout: "{course}/{titel}.{ext}"
                courses:
                  - {id: a, provider: p, layout: plain text, videos: [{id: v, date: 2026-02-30}]}
                  - {id: b, provider: p, layout: {course: x}, videos: [v]}
                """)
        let places = folder.messages(folder.read())
        #expect(
            places.first?.hasPrefix("2:20: 'layout': there is no field 'titel'; there are course,") == true, "\(places)"
        )
        #expect(
            places.dropFirst().first?.hasPrefix("4:34: 'layout': there is no layout 'plain text';") == true, "\(places)"
        )
        #expect(places.contains("4:69: 'date' takes a day, such as 2026-10-05, but this is '2026-02-30'"), "\(places)")
    }

    @Test("dates and descriptions are read")
    func facts() throws {
        let folder = try CatalogFolder(
            catalog: """
                courses:
                  - id: a
                    provider: p
                    description: All of it.
                    chapters: [{id: c, description: A part., videos: [{id: v, date: 2024-02-29, description: Light.}, w]}]
                """)
        let reading = folder.read()
        #expect(reading.verdict == .valid, "\(reading.report)")
        let course = try #require(reading.catalog.courses.first)
        let videos = course.chapters[0].videos
        #expect(course.description == "All of it." && course.chapters[0].description == "A part.")
        #expect(videos[0].date == "2024-02-29" && videos[0].description == "Light.")
        #expect(videos[1].date == nil && videos[1].description == nil)
    }
}
