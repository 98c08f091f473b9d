import CourseCatalog
import DownloadStore
import Foundation
import MediaLibrary
import SyncFacts

/// Covers of courses and chapters.
struct FolderCovers {
    let catalog: Catalog
    let folders: FolderPlan

    /// The wanted covers, and the moves of present ones with their folders. `held` are the indices of courses that
    /// aren't touched.
    func plan(in result: inout Reconciliation, without held: Set<Int>) {
        for (index, course) in catalog.courses.enumerated() where !held.contains(index) && catalog.hasWhole(course.id) {
            let record = folders.recordedCourses[course.id]
            let folder = folders.courses[index]
            if let cover = course.cover {
                let digest = CatalogEntries.digest(cover)
                want(
                    cover, digest, stored: record?.cover, file: record?.coverFile, in: folder, &result,
                    owner: .course(course.id, digest: digest), listed: course.listingSource, mover: .course(course.id))
            }
            for (number, chapter) in course.chapters.enumerated() {
                guard let cover = chapter.ownCover else { continue }
                let record = folders.recordedChapters[DownloadKey(course: course.id, video: chapter.id)]
                let digest = CatalogEntries.digest(cover)
                let folder = folders.chapters[index][number]
                // In the course's own folder its name must differ from the course's cover.
                let name =
                    folder == folders.courses[index]
                    ? LibraryName.component("cover \(course.videos.count + number + 1) \(chapter.title.prefix(60))")
                    : "cover"
                want(
                    cover, digest, stored: record?.cover, file: record?.coverFile, in: folder, &result, name: name,
                    owner: .chapter(course: course.id, chapter: chapter.id, digest: digest),
                    listed: course.listingSource,
                    mover: .chapter(course: course.id, chapter: chapter.id))
            }
        }
    }

    /// The place of a missing cover; nil if it exists, also under a name that distinguishes it from somebody else's
    /// file.
    private func place(of path: String, in folder: String, name: String) -> String? {
        let (oldFolder, oldName) = LibraryPathParts.split(path)
        let end = oldName.lastIndex(of: ".") ?? oldName.endIndex
        let isNamedRight = LibraryName.isSame(String(oldName[..<end]), as: name, id: "cover")
        return oldFolder == folder && isNamedRight ? nil : "\(folder)/\(name)\(oldName[end...])"
    }

    private func want(
        _ cover: CoverSource, _ digest: CoverDigest, stored: CoverDigest?, file: StoredFile?, in folder: String,
        _ result: inout Reconciliation, name: String = "cover", owner: WantedSidecar.Owner,
        listed: ListingSource?, mover: RecordedMove.Owner
    ) {
        var old = file
        if let file, let to = place(of: file.path, in: folder, name: name) {
            result.moves.append(.init(owner: mover, reference: nil, from: file.path, to: to))
            old?.path = to
        }
        guard stored != digest else { return }
        result.sidecars.append(
            WantedSidecar(
                owner: owner, source: cover.sidecarSource, folder: folder, name: name, purpose: .cover, listed: listed,
                old: old))
    }
}

extension Course {
    /// The provider that lists it; nil for a course that is written by hand.
    fileprivate var listingSource: ListingSource? {
        guard discover, let provider = settings.provider else { return nil }
        return ListingSource(provider: provider.name, settings: settings)
    }
}
