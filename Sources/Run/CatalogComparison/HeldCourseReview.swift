package import DownloadStore
package import MediaLibrary
package import SyncFacts

/// Checks the courses that the last sync held again, for readers between two syncs: the missing files may have been
/// given up or be back.
package struct HeldCourseReview {
    private let recorded: [HeldCourse]
    private let listing: LibraryFileIndex?
    /// By the course's id.
    private var numbers: [String: Int] = [:]
    private var tallies: [LossGuard.Tally] = []
    private var unreadable: [String: LibraryError] = [:]

    /// - Parameter library: nil if it can't be opened, so that nothing can be checked.
    package init(_ recorded: [HeldCourse], _ library: LibraryFolder?) {
        self.recorded = recorded
        listing = library.map(LibraryFileIndex.init)
    }

    /// Takes a row into account; for held courses its file is looked up.
    package mutating func look(at record: DownloadRecord) {
        guard let listing, !recorded.isEmpty, record.state == .finished, !record.isGone, let file = record.file else {
            return
        }
        let course = record.key.course
        let number = numbers[course] ?? tallies.count
        if number == tallies.count {
            numbers[course] = number
            tallies.append(.init())
        }
        tallies[number].finished += 1
        guard recorded.contains(where: { $0.course == course }) else { return }
        do throws(LibraryError) {
            guard try !listing.contains(file.path) else { return }
            tallies[number].lost += 1
            if tallies[number].example.isEmpty { tallies[number].example = file.path }
        } catch {
            unreadable[course] = unreadable[course] ?? error
        }
    }

    /// The courses that a sync would hold now, according to the rows so far.
    package var stillHeld: [HeldCourse] {
        guard listing != nil else { return recorded }
        let held = Set(LossGuard().held(tallies))
        return recorded.compactMap { course in
            var course = course
            if case .unsettled = course.reason {
                return course
            } else if let error = unreadable[course.course] {
                course.reason = .unreadable(error.sentence)
            } else if let number = numbers[course.course], held.contains(number) {
                let tally = tallies[number]
                course.reason = .filesMissing(count: tally.lost, finished: tally.finished, example: tally.example)
            } else {
                return nil
            }
            return course
        }
    }
}
