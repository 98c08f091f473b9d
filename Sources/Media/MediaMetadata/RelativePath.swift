/// Relative paths between files of a library.
enum RelativePath {
    /// From a folder to a file, both relative to the library.
    static func from(_ folder: String, to path: String) -> String {
        var here = folder.split(separator: "/")[...]
        var there = path.split(separator: "/")[...]
        while let one = here.first, one == there.first, there.count > 1 {
            here = here.dropFirst()
            there = there.dropFirst()
        }
        return (here.map { _ in ".." } + there.map(String.init)).joined(separator: "/")
    }

    /// The same as a URL's path. Related: RFC 3986 §3.3.
    static func url(from folder: String, to path: String) -> String {
        let relative = from(folder, to: path)
        var text = ""
        for byte in relative.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        // A colon in the first part would end a scheme; it is encoded, but a name like "-" needs nothing.
        return text
    }
}
