import Dispatch

/// Threads of the page's own: its work waits for files and databases, and must not occupy the few threads that run
/// Swift tasks, as those that send files do.
final class PageThreads: TaskExecutor {
    static let shared = PageThreads()

    private let queue = DispatchQueue(label: "page", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
