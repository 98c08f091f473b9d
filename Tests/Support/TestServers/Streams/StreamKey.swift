/// A key of AES-128 that a stream of the tests is encrypted with.
struct StreamKey {
    let number: Int

    init(_ number: Int) { self.number = number }

    /// All 16 bytes.
    var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: 37 * number + 11 * $0 + 5) } }

    /// A number as 32 hexadecimal digits: an IV.
    static func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The command that encrypts a file.
    func encrypting(_ file: String, to result: String, iv: String) -> String {
        let key = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "openssl enc -aes-128-cbc -K \(key) -iv \(iv) -in \(file) -out \(result)"
    }
}
