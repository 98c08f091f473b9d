#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

package enum HostName {
    /// The system's name; `unknown` if it has none.
    package static var current: String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let done = bytes.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.map { gethostname($0, 255) } ?? -1
        }
        return done == 0 ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : "unknown"
    }
}
