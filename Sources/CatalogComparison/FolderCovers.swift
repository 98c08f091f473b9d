import CourseCatalog
import DownloadJobs
import DownloadStore
import Foundation
import MediaLibrary

/// Covers of courses and chapters.
struct FolderCovers {
    let catalog: Catalog
    let folders: FolderPlan

    /// Those that are wanted, and moves of what is there with their folders. `held` are the indices of courses that are left as
    /// they are.
    func plan(in result: inout Reconciliation, without held: Set<Int>) {
        for (index, course) in catalog.courses.enumerated() where !held.contains(index) {
            let record = folders.recordedCourses[course.id]
            let folder = folders.courses[index]
            if let cover = course.cover {
                let digest = CatalogEntries.digest(cover)
                want(
                    cover, digest, stored: record?.cover, file: record?.coverFile, in: folder, &result,
                    owner: .course(course.id, digest: digest), mover: .course(course.id))
            }
            for (number, chapter) in course.chapters.enumerated() {
                guard let cover = chapter.ownCover else { continue }
                let record = folders.recordedChapters[DownloadKey(course: course.id, video: chapter.id)]
                let digest = CatalogEntries.digest(cover)
                want(
                    cover, digest, stored: record?.cover, file: record?.coverFile, in: folders.chapters[index][number],
                    &result,
                    owner: .chapter(course: course.id, chapter: chapter.id, digest: digest),
                    mover: .chapter(course: course.id, chapter: chapter.id))
            }
        }
    }

    private func want(
        _ cover: CoverSource, _ digest: CoverDigest, stored: CoverDigest?, file: StoredFile?, in folder: String,
        _ result: inout Reconciliation, owner: WantedSidecar.Owner, mover: RecordedMove.Owner
    ) {
        var old = file
        if let file, LibraryPathParts.split(file.path).folder != folder {
            let to = "\(folder)/\(LibraryPathParts.split(file.path).name)"
            result.moves.append(.init(owner: mover, reference: nil, from: file.path, to: to))
            old?.path = to
        }
        guard stored != digest else { return }
        result.sidecars.append(
            WantedSidecar(
                owner: owner, source: cover.sidecarSource, folder: folder, name: "cover", purpose: .cover, old: old))
    }
}
