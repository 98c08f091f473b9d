import CommandOutput
import DownloadStore
import FileSystem
import Foundation
import Operations
import PageHTTP
import PageViews
import RunAccess
import SyncFacts
import TextFormats
import UserState
import ViewerMarks

/// The pages of the library.
extension PageSite {
    /// Videos of a row at home.
    private static let row = 12

    func home(_ visit: Visit) async throws(Refusal) -> PageResponse {
        let isSyncing = try ViewedLibrary.read(visit.location) { $0.isHeld }
        let sync = isSyncing ? try await LiveFacts.read(visit.location) : nil
        return try ViewedLibrary.read(visit.location) { view in
            let frame = frame(visit, library: view.library)
            let fields = try LibraryPages(frame).home(
                begun: view.begun(atMost: Self.row), unwatched: view.newest(atMost: Self.row), courses: view.courses(),
                sync: sync?.sentence)
            return render("home", fields, visit)
        }
    }

    func courses(_ visit: Visit) throws(Refusal) -> PageResponse {
        let query = visit.request.query
        return try ViewedLibrary.read(visit.location) { view in
            let order = query["sort"].flatMap(CourseOrder.init) ?? .title
            let fields = try LibraryPages(frame(visit, library: view.library)).courses(
                view.courses(), order, after: query["after"])
            return render("courses", fields, visit)
        }
    }

    func course(_ id: String, _ visit: Visit) throws(Refusal) -> PageResponse? {
        let query = visit.request.query
        return try ViewedLibrary.read(visit.location) { view in
            guard let course = try view.course(id) else { return nil }
            let order = query["sort"].flatMap(VideoOrder.init) ?? .course
            let choice = query["show"].flatMap(VideoChoice.init) ?? .all
            let page = try view.videos(of: course.id, order, choice, after: query["after"].flatMap { Int64($0) })
            let facts = CoursePageFacts(
                course: course, page: page, chapters: try view.chapters(of: course.id), order: order, choice: choice,
                resume: try view.resume(course), speed: try view.marks.speed(of: course.id),
                feedToken: access.feedToken(of: visit.user, course: course.id))
            return render("course", CoursePage(frame(visit, library: view.library)).course(facts), visit)
        }
    }

    func video(_ key: DownloadKey, _ visit: Visit) throws(Refusal) -> PageResponse? {
        try ViewedLibrary.read(visit.location) { view in
            guard let detail = try view.detail(key) else { return nil }
            var titles: [DownloadKey: String] = [:]
            for neighbour in [detail.previous, detail.next].compactMap({ $0 }) {
                titles[neighbour] = try view.video(neighbour)?.title
            }
            let start = visit.request.query["t"].flatMap { Double($0) }.flatMap { (0...1e7).contains($0) ? $0 : nil }
            let fields = PlayerPage(frame(visit, library: view.library)).video(
                detail, start: start, subtitles: try view.setting("subtitles"),
                standardSpeed: try view.setting("speed").flatMap { Double($0) }, titles: titles)
            return render("video", fields, visit)
        }
    }

    func search(_ visit: Visit) throws(Refusal) -> PageResponse {
        let text = visit.request.query["q"] ?? ""
        let isLong = visit.request.query["limit"] != nil
        let limit = isLong ? SearchPage.mostHits : SearchPage.firstHits
        let result = try LibrarySearch.run(text, visit.location, limit: limit) { _ in }
        return try ViewedLibrary.read(visit.location) { view in
            let keys = (result?.hits ?? []).map { DownloadKey(course: $0.reference.course, video: $0.reference.video) }
            let videos = try view.videos(keys)
            let page = SearchPage(frame(visit, library: view.library))
            return render("search", page.search(result, videos: videos, isLong: isLong), visit)
        }
    }

    func settings(_ visit: Visit) throws(Refusal) -> PageResponse {
        try ViewedLibrary.read(visit.location) { view in
            let fields = try SettingsPage(frame(visit, library: view.library)).settings(
                subtitles: view.setting("subtitles"), speed: view.setting("speed").flatMap { Double($0) },
                languages: view.languages(), courses: view.courses(), path: view.library)
            return render("settings", fields, visit)
        }
    }

    // MARK: the running sync, and past ones

    func now(_ visit: Visit) async throws(Refusal) -> PageResponse {
        let facts = try await LiveFacts.read(visit.location)
        return try ViewedLibrary.read(visit.location) { view in
            let next = try view.waiting(atMost: NowPage.mostNext)
            return render("now", NowPage(frame(visit, library: view.library)).now(facts, next: next), visit)
        }
    }

    func live(_ visit: Visit) async throws(Refusal) -> PageResponse {
        let facts = try await LiveFacts.read(visit.location)
        return .bytes(NowPage.live(facts), type: "application/json").validated(for: visit.request)
    }

    func events(_ visit: Visit) async -> PageResponse {
        let events = await live.events(at: visit.location, of: visit.user)
        return PageResponse(
            status: 200,
            headers: [
                ("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no"),
            ],
            body: .events(events))
    }

    private static let runsOfPage = 50
    private static let plotted = 90

    func nights(_ visit: Visit) async throws(Refusal) -> PageResponse {
        let history = try PastRuns.read(visit.location, limit: nil).runs
        let report = try await StatusReader.read(visit.location) { reader throws(Refusal) in try reader.overview() }
        let skipped = min(visit.request.query["after"].flatMap { Int($0) }.map { max(0, $0) } ?? 0, history.count)
        let runs = history.reversed().dropFirst(skipped).prefix(Self.runsOfPage)
        return try ViewedLibrary.read(visit.location) { view in
            let free = view.library.flatMap { path in
                (try? FileManager.default.attributesOfFileSystem(forPath: path))?[.systemFreeSize] as? Int64
            }
            let facts = NightFacts(
                runs: Array(runs), count: history.count, first: skipped + 1, plotted: history.suffix(Self.plotted),
                failures: report.rows.filter { $0.state == .failed }, courses: try view.courses(),
                diskBytes: report.diskBytes, free: free)
            return render("nights", NightsPage(frame(visit, library: view.library)).nights(facts), visit)
        }
    }

    func metrics(_ visit: Visit) async throws(Refusal) -> PageResponse {
        let facts = try await LiveFacts.read(visit.location)
        let user = try visit.location.resolve().user.text
        return .bytes(
            Array(PageMetrics.text(facts, user: user).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

extension LiveFacts {
    static func read(_ location: StateLocation) async throws(Refusal) -> LiveFacts {
        let report = try await StatusReader.read(location) { reader throws(Refusal) in try reader.overview() }
        return LiveFacts(report: report, lastRun: try PastRuns.read(location, limit: 1).runs.last)
    }
}

/// Files of the library: media, subtitles, pictures, playlists, feeds.
extension PageSite {
    /// Nil for an address without a file.
    func file(_ visit: Visit) async throws(Refusal) -> PageResponse? {
        let path = visit.request.path
        switch (path.first, path.count) {
        case ("media", 4):
            let key = DownloadKey(course: path[1], video: path[2])
            return try ViewedLibrary.read(visit.location) { view in
                try view.file(path[3], of: key).map { answer($0, to: visit.request) }
            }
        case ("text", 4):
            let key = DownloadKey(course: path[1], video: path[2])
            return try ViewedLibrary.read(visit.location) { view in
                try view.subtitles(path[3], of: key).map {
                    .bytes($0, type: "text/vtt; charset=utf-8").validated(for: visit.request)
                }
            }
        case ("picture", 3): return try await picture(DownloadKey(course: path[1], video: path[2]), visit)
        case ("cover", 2), ("cover", 3):
            return try ViewedLibrary.read(visit.location) { view in
                try view.cover(ofCourse: path[1], chapter: path.count > 2 ? path[2] : nil).map {
                    answer($0, to: visit.request)
                }
            }
        case ("play", 3) where path[2].hasSuffix(".m3u"):
            return try playlist(DownloadKey(course: path[1], video: String(path[2].dropLast(4))), visit)
        case ("feed", 2): return try feed(path[1], visit)
        default: return nil
        }
    }

    private func answer(_ served: ServedFile, to request: PageRequest) -> PageResponse {
        let facts = served.facts
        let tag = served.sha256.map { "\"\($0)\"" } ?? "W/\"\(facts.size)-\(facts.modified)\""
        let modified = Date(timeIntervalSince1970: Double(facts.modified) / 1e9)
        let answer = FileAnswer(to: request, size: facts.size, tag: tag, modified: modified)
        var response = PageResponse(status: answer.status, headers: answer.headers.map { ($0.key, $0.value) })
        response.headers.append(("cache-control", "private, no-cache"))
        guard answer.status == 200 || answer.status == 206 else { return response }
        let name = served.name
        let suffix = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
        if let type = ServedType.of(suffix) {
            response.headers.append(("content-type", type))
        } else {
            // What a browser could run is saved, not shown.
            response.headers.append(("content-type", "application/octet-stream"))
            let encoded = PercentEncoding.encoded(name)
            response.headers.append(("content-disposition", "attachment; filename*=UTF-8''\(encoded)"))
        }
        response.body = .file(served.file, answer.range)
        return response
    }

    private func picture(_ key: DownloadKey, _ visit: Visit) async throws(Refusal) -> PageResponse? {
        guard let path = try await thumbnails.picture(of: key, at: visit.location),
            let bytes = FileManager.default.contents(atPath: path)
        else {
            // Of a video that has none: 404 would be an error in the console of each browser.
            let isKnown = try ViewedLibrary.read(visit.location) { try $0.video(key) != nil }
            return isKnown ? PageResponse(status: 204, headers: [("cache-control", "private, no-cache")]) : nil
        }
        return PageResponse.bytes([UInt8](bytes), type: "image/jpeg").validated(for: visit.request)
    }

    /// For a player outside the browser, which has no cookie: the address has the token of the course's feed.
    private func playlist(_ key: DownloadKey, _ visit: Visit) throws(Refusal) -> PageResponse? {
        try ViewedLibrary.read(visit.location) { view in
            guard let video = try view.video(key), let course = try view.course(key.course),
                let address = feed(of: course, [], visit).address(of: video)
            else { return nil }
            let title = video.title.unicodeScalars.filter { $0.value >= 0x20 }.map(String.init).joined()
            let text = "#EXTM3U\n#EXTINF:\(Int(video.seconds ?? -1)),\(title)\n\(address)\n"
            // A browser that knows HLS would show the list as media of its own.
            let name = PercentEncoding.encoded(String(title.prefix(100)) + ".m3u")
            return PageResponse.bytes(Array(text.utf8), type: "audio/x-mpegurl; charset=utf-8").with(
                "content-disposition", "attachment; filename*=UTF-8''\(name)")
        }
    }

    /// Scheme and host as the client sees them.
    func origin(of request: PageRequest) -> String {
        let forwarded = request.headers["x-forwarded-proto"]
        let scheme = forwarded == "https" && access.proxies.contains { $0.contains(request.remote) } ? "https" : "http"
        return "\(scheme)://\(request.headers["host"] ?? "localhost")"
    }

    // MARK: feeds

    /// A feed for whoever has its token, or nil: a podcast program has no cookie.
    func publicFeed(_ request: PageRequest) async -> PageResponse? {
        let user = request.query["user"]
        guard access.mayReadFeed(request, course: request.path[1], user: user) else { return nil }
        let visit = Visit(request: request, user: user, location: options.location(of: user))
        do throws(Refusal) {
            if request.path.count == 2 { return try feed(request.path[1], visit) }
            guard request.path.count == 4 else { return nil }
            let key = DownloadKey(course: request.path[1], video: request.path[2])
            return try ViewedLibrary.read(visit.location) { view in
                try view.file(request.path[3], of: key).map { answer($0, to: request) }
            }
        } catch { return nil }
    }

    /// RSS 2.0 with a file for each video that is here, the newest first.
    private func feed(_ course: String, _ visit: Visit) throws(Refusal) -> PageResponse? {
        try ViewedLibrary.read(visit.location) { view in
            guard let facts = try view.course(course) else { return nil }
            let page = try view.videos(of: facts.id, .newest, .all)
            return PageResponse.bytes(
                feed(of: facts, page.videos, visit).bytes, type: "application/rss+xml; charset=utf-8"
            ).validated(for: visit.request)
        }
    }

    private func feed(of course: ViewedCourse, _ videos: [ViewedVideo], _ visit: Visit) -> CourseFeed {
        CourseFeed(
            course: course, videos: videos, root: origin(of: visit.request) + access.base,
            token: access.feedToken(of: visit.user, course: course.id), user: visit.user)
    }
}
