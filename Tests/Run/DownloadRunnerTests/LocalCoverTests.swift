import Foundation
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import DownloadJobs

@Suite("covers beside a catalog")
struct LocalCoverTests {
    private let folder = TemporaryFolder()

    private func open(_ path: String, isStepwise: Bool) -> Result<String, Errno> {
        let cover = LocalCover(folder: folder.at("catalog").string, path: path)
        do throws(Errno) {
            let descriptor = try cover.open(isStepwise: isStepwise)
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            return .success(String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self))
        } catch { return .failure(error) }
    }

    @Test(
        "only regular files beneath the catalog's folder are read, whatever links exist",
        arguments: [false, true])
    func links(isStepwise: Bool) throws {
        try folder.write("secret", to: "secret.jpg")
        try folder.write("cover", to: "catalog/covers/a.jpg")
        for (link, target) in [
            ("catalog/out.jpg", "../secret.jpg"), ("catalog/absolute.jpg", folder.at("secret.jpg").string),
            ("catalog/inside.jpg", "covers/a.jpg"), ("catalog/up", ".."), ("catalog/down", "covers"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.at(link).string, withDestinationPath: target)
        }
        #expect(open("covers/a.jpg", isStepwise: isStepwise) == .success("cover"))
        #expect(open("./covers//a.jpg", isStepwise: isStepwise) == .success("cover"))
        for path in ["out.jpg", "absolute.jpg", "inside.jpg"] {
            #expect(open(path, isStepwise: isStepwise) == .failure(.tooManySymbolicLinkLevels), "\(path)")
        }
        for path in ["up/secret.jpg", "down/a.jpg"] {
            let refusals: [Result<String, Errno>] = [.failure(.tooManySymbolicLinkLevels), .failure(.notDirectory)]
            #expect(refusals.contains(open(path, isStepwise: isStepwise)), "\(path)")
        }
        for path in ["../secret.jpg", folder.at("secret.jpg").string, "covers/../../secret.jpg"] {
            #expect(open(path, isStepwise: isStepwise) == .failure(.improperLink), "\(path)")
        }
    }

    @Test("a special file doesn't block", arguments: [false, true])
    func noFile(isStepwise: Bool) throws {
        try folder.make("catalog/folder.jpg")
        #expect(mkfifo(folder.at("catalog/pipe.jpg").string, 0o600) == 0)
        #expect(open("pipe.jpg", isStepwise: isStepwise) == .failure(.invalidArgument))
        let refusals: [Result<String, Errno>] = [.failure(.invalidArgument), .failure(.isDirectory)]
        #expect(refusals.contains(open("folder.jpg", isStepwise: isStepwise)))
        #expect(open("none.jpg", isStepwise: isStepwise) == .failure(.noSuchFileOrDirectory))
    }
}
