import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import ProviderHost
package import RunAccess
import SyncFacts
import SystemPackage
import UserState

/// Completions for the TAB key. Reads the state and starts nothing; on an error there are none.
package enum Completions {
    /// The limit on offered words.
    private static let most = 1000

    /// Selectors that begin with `prefix`: courses first, after a `/` chapters, after another one videos. If a part is
    /// complete the next ones are included, so that TAB goes on.
    package static func selectors(_ prefix: String, at location: StateLocation) -> [String] {
        guard let place = try? location.resolve(), let store = try? place.openAsIs() else { return [] }
        defer { store.close() }
        let courses = (try? store.catalogs.courses().values.sorted { $0.ordinal < $1.ordinal }) ?? []
        let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
        let begun = courses.filter { Selector(course: $0.id).description.hasPrefix(parts.first ?? "") }
        if parts.count <= 1 {
            guard begun.count == 1, let only = begun.first else {
                return begun.prefix(most).map { Selector(course: $0.id).description }
            }
            return [Selector(course: only.id).description] + within(only.id, prefix: "", store)
        }
        guard let course = begun.first(where: { Selector(course: $0.id).description == parts[0] }) else { return [] }
        return within(course.id, prefix: prefix, store)
    }

    private static func within(_ course: String, prefix: String, _ store: DownloadStore) -> [String] {
        let videos = (try? store.catalogs.videos(of: course)) ?? []
        var chapters: [String] = []
        for chapter in videos.compactMap(\.chapter) where !chapters.contains(chapter) { chapters.append(chapter) }
        let written = chapters.map { Selector(course: course, chapter: $0).description }.filter { $0.hasPrefix(prefix) }
        let deep = videos.lazy.filter { $0.chapter != nil }.map { video in
            Selector(VideoReference(course: course, chapter: video.chapter, video: video.video, title: "")).description
        }.filter { $0.hasPrefix(prefix) }
        // Videos if one is being typed, or if there is no chapter between.
        let isDeep = prefix.count { $0 == "/" } > 1 || written.count <= 1
        let direct = videos.filter { $0.chapter == nil }.map { video in
            // In the short form, which is settled when the videos are known.
            "\(Selector(course: course).description)/\(Glob.encoded(video.video))"
        }.filter { $0.hasPrefix(prefix) }
        return Array((written + direct + (isDeep ? Array(deep.prefix(most)) : [])).prefix(most))
    }

    package static func users(at location: StateLocation) -> [String] {
        var own = location
        own.user = nil
        guard let mine = try? own.resolve() else { return [] }
        let others = (try? Locations.users(in: mine.folder.path.removingLastComponent()).map(\.text)) ?? []
        return Set(others + [mine.user.text]).sorted()
    }

    /// The names of all providers with a plugin.
    package static func providers(plugins folders: [String]) -> [String] {
        ProviderCheck.registry(folders).plugins.keys.sorted()
    }
}
