import Foundation

/// What `NSURLSession` keeps of a download that it can go on with: a property list, or a keyed archive of one; some
/// apps store it in base64.
package struct ResumeData: Sendable, Equatable {
    /// The media's address.
    package var address: String?
    /// How many bytes were received.
    package var received: Int64?
    /// The names by which the temporary file may be known, without folders: those are of another device.
    package var fileNames: [String] = []

    /// Throws ``FormatFault/foreign`` if it is a property list of something else.
    package init(_ bytes: [UInt8]) throws(FormatFault) {
        // What is base64 is text of a list too, or nearly so.
        let decoded = bytes.first.flatMap { $0 < 0x80 ? String(validating: bytes, as: UTF8.self) : nil }
            .flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
        let fields: PropertyList
        if let decoded, let list = try? Self.fields(Array(decoded)), case .dictionary = list {
            fields = list
        } else {
            fields = try Self.fields(bytes)
        }
        guard case .dictionary(let members) = fields,
            members.keys.contains(where: { $0.hasPrefix("NSURLSession") })
        else { throw .foreign }
        address =
            fields["NSURLSessionDownloadURL"]?.webAddress
            ?? Self.address(fields["NSURLSessionResumeOriginalRequest"])
            ?? Self.address(fields["NSURLSessionResumeCurrentRequest"])
        received = fields["NSURLSessionResumeBytesReceived"]?.size
        for key in ["NSURLSessionResumeInfoTempFileName", "NSURLSessionResumeInfoLocalPath"] {
            guard let name = fields[key]?.text?.split(separator: "/").last.map(String.init), name != ".", name != "..",
                !fileNames.contains(name)
            else { continue }
            fileNames.append(name)
        }
    }

    /// The fields, of an archive those with their scalars.
    private static func fields(_ bytes: [UInt8]) throws(FormatFault) -> PropertyList {
        let archive: KeyedArchive
        do { archive = try KeyedArchive(bytes) } catch .foreign { return try PropertyList(bytes) }
        guard let root = try archive.object(archive.root), let members = try archive.dictionary(of: root) else {
            throw .foreign
        }
        var fields: [String: PropertyList] = [:]
        for (key, value) in members.prefix(256) { fields[key] = try archive.plain(value) }
        return .dictionary(fields)
    }

    /// Of an archived request.
    private static func address(_ request: PropertyList?) -> String? {
        guard case .data(let data)? = request, let archive = try? KeyedArchive(Array(data)) else { return nil }
        for value in [archive.root].compactMap(\.self) + archive.top.sorted(by: { $0.key < $1.key }).map(\.value) {
            if let address = (try? archive.requestAddress(value)) ?? nil { return address }
        }
        return nil
    }
}
