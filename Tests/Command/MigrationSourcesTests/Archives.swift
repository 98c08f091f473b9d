import Foundation
import FoundationNetworking
import TestSupport

/// Objects for `NSKeyedArchiver`, which names a class by its module too; the readers don't mind that.
enum Archives {
    /// What `NSKeyedArchiver` makes of an object.
    static func archive(
        _ object: Any, key: String = "root", _ format: PropertyListSerialization.PropertyListFormat = .binary
    ) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.outputFormat = format
        archiver.encode(object, forKey: key)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    /// As `NSURLSession` keeps it: a property list, with the request archived in it.
    static func resumeList(
        _ address: String, received: Int, file: String, withAddress: Bool = true
    ) throws -> [String: Any] {
        var list: [String: Any] = [
            "NSURLSessionResumeBytesReceived": received, "NSURLSessionResumeInfoVersion": 2,
            "NSURLSessionResumeInfoTempFileName": file,
            "NSURLSessionResumeOriginalRequest": archive(try request(address), key: "NSKeyedArchiveRootObjectKey"),
        ]
        if withAddress { list["NSURLSessionDownloadURL"] = address }
        return list
    }

    /// The same in bytes.
    static func resumeData(
        _ address: String, received: Int, file: String,
        _ format: PropertyListSerialization.PropertyListFormat = .binary,
        withAddress: Bool = true
    ) throws -> Data {
        try PropertyListSerialization.data(
            fromPropertyList: resumeList(address, received: received, file: file, withAddress: withAddress),
            format: format, options: 0)
    }

    /// A request for an address.
    static func request(_ address: String) throws -> NSMutableURLRequest {
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        return NSMutableURLRequest(url: url)
    }
}

/// An object that archives what it is given, like the models of apps.
class ArchivedModel: NSObject, NSCoding {
    private let objects: [String: Any]
    private let integers: [String: Int]

    init(_ objects: [String: Any], _ integers: [String: Int] = [:]) {
        (self.objects, self.integers) = (objects, integers)
    }

    required init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for (key, object) in objects.sorted(by: { $0.key < $1.key }) { coder.encode(object, forKey: key) }
        for (key, number) in integers.sorted(by: { $0.key < $1.key }) { coder.encode(number, forKey: key) }
    }
}

/// Named as FKDownloader names its own.
final class FKCacheRequestModel: ArchivedModel {}
