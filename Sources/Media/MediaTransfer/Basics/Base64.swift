/// Base64 of a few bytes (RFC 4648 §4).
enum Base64 {
    static func encoded(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for place in 0..<4 {
                result.append(place <= group.count ? alphabet[(word >> (18 - 6 * place)) & 63] : 0x3D)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
