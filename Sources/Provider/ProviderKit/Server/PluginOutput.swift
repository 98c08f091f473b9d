import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Standard output of a plugin: one JSON object per line, each written atomically.
final class PluginOutput: Sendable {
    /// The output of this process.
    static let standard = PluginOutput(descriptor: STDOUT_FILENO)

    private let descriptor: Int32
    private let turn = Mutex(())

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes `message` as one line, keys sorted, so that equal messages are equal bytes. Returns whether it could be
    /// encoded: a number that JSON doesn't have (infinity) can't be. A closed pipe is ignored.
    @discardableResult
    func send(_ message: some Encodable) -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(message) else { return false }
        line.append(UInt8(ascii: "\n"))
        turn.withLock { _ in
            line.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    if count <= 0 { return }
                    rest = rest.dropFirst(count)
                }
            }
        }
        return true
    }
}
