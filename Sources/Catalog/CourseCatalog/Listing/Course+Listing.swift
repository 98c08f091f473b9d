extension Course {
    /// The course with the videos that its provider lists. What the catalog says wins, video by video and key by key: a
    /// video that it names stays in its place and keeps its settings, and gets what the catalog doesn't say from the
    /// listing. Only ids are spelled as listed: the provider made them.
    ///
    /// Chapters that only the catalog names come first, then those of the listing in their order; the same holds for
    /// the videos of each.
    package func adding(_ listing: CourseListing) -> Course {
        var course = self
        course.isListed = true
        if !hasOwnTitle, let title = listing.title { course.title = title }
        if ownCover == nil { course.ownCover = listing.cover.map { .url($0) } }

        let folder = videos.table.folder
        var builder = VideoTableBuilder(course: location, folder: folder)
        let groups = Dictionary(grouping: listing.videos.indices) { listing.videos.chapter($0) ?? -1 }
        let written = Dictionary(
            ([videos] + chapters.map(\.videos)).joined().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let listed = written.isEmpty ? [:] : listing.places { written[$0] != nil }
        var ranges: [Range<Int>] = []

        /// Adds the videos of one group: written ones, and listed ones that aren't written elsewhere. `written`: the
        /// settings that the catalog has for the group.
        func add(_ own: VideoList?, _ indices: [Int], _ settings: Settings, written level: Settings) {
            let first = builder.count
            let here = own.map { _ in Set(indices.lazy.map(listing.videos.id).filter { listed[$0] != nil }) } ?? []
            let ownIDs = Set((own?.map(\.id)) ?? [])
            for video in own ?? VideoList(table: videos.table, range: 0..<0) where !here.contains(video.id) {
                builder.append(
                    video, filledFrom: listed[video.id].map { listing.videos[$0] }, above: settings, written: level)
            }
            for index in indices {
                let entry = listing.videos[index]
                if ownIDs.contains(entry.id), let video = written[entry.id] {
                    builder.append(
                        video, filledFrom: entry, above: settings, written: level, isPlacedByListing: true)
                } else if written[entry.id] == nil {
                    builder.append(entry, above: settings)
                }
            }
            ranges.append(first..<builder.count)
        }

        add(videos, groups[-1] ?? [], settings, written: settings)
        var merged: [(chapter: Chapter?, listed: CourseListing.Chapter?, settings: Settings)] = []
        let listedIDs = Set(listing.chapters.map(\.id))
        let byID = Dictionary(chapters.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for chapter in chapters where !listedIDs.contains(chapter.id) {
            merged.append((chapter, nil, chapter.settings))
            add(chapter.videos, [], chapter.settings, written: chapter.settings)
        }
        for (index, entry) in listing.chapters.enumerated() {
            let own = byID[entry.id]
            let indices = groups[index] ?? []
            guard own != nil || !indices.isEmpty else { continue }
            var inherited = own?.settings ?? settings
            if own?.ownCover == nil, let cover = entry.cover {
                inherited = Settings(OwnSettings(cover: .url(cover)), above: inherited)
            }
            merged.append((own, entry, inherited))
            add(own?.videos, indices, inherited, written: own?.settings ?? settings)
        }
        let table = builder.table()
        course.videos = VideoList(table: table, range: ranges[0])
        course.chapters = zip(merged, ranges.dropFirst()).map { part, range in
            chapter(part.chapter, part.listed, part.settings, videos: VideoList(table: table, range: range))
        }
        return course
    }

    /// A chapter as the catalog and the listing say, the catalog first.
    private func chapter(
        _ own: Chapter?, _ entry: CourseListing.Chapter?, _ settings: Settings, videos: VideoList
    ) -> Chapter {
        let title = own.flatMap { $0.hasOwnTitle ? $0.title : nil } ?? entry?.title
        return Chapter(
            id: own?.id ?? entry?.id ?? "", writtenID: entry?.writtenID ?? own?.writtenID ?? "",
            title: title ?? own?.title ?? entry?.id ?? "", hasOwnTitle: own?.hasOwnTitle ?? false,
            description: own?.description, location: own?.location ?? location,
            ownCover: own?.ownCover ?? entry?.cover.map { .url($0) }, season: own?.season ?? entry?.season,
            settings: settings, videos: videos)
    }
}

extension CourseListing {
    /// The places of the videos that a catalog writes.
    fileprivate func places(where isWritten: (String) -> Bool) -> [String: Int] {
        var places: [String: Int] = [:]
        for index in videos.indices {
            let id = videos.id(index)
            if isWritten(id), places[id] == nil { places[id] = index }
        }
        return places
    }
}
