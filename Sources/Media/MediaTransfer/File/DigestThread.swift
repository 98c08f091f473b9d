import Dispatch
import Synchronization

/// The one thread that hashes announced data, in turns. It starts with the first partial that needs a digest and stays.
///
/// One thread hashes 2 GB a second, which is more than networks deliver; the transfer thread never waits for it.
final class DigestThread: Sendable {
    static let shared = DigestThread()

    private let queue = Mutex<[PartialDigest]>([])
    private let count = DispatchSemaphore(value: 0)

    private init() {
        NamedThread.start("digest") { self.run() }
    }

    func add(_ digest: PartialDigest) {
        queue.withLock { $0.append(digest) }
        count.signal()
    }

    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        while true {
            count.wait()
            guard let digest = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            if digest.work(buffer) { add(digest) }
        }
    }
}
