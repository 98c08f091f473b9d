import Foundation
import HLSMedia
import SystemPackage
import TestSupport
import Testing

@Suite("finding ffmpeg")
struct FFmpegTests {
    /// `bin/ffmpeg` can be executed, `data/ffmpeg` can't, `folders/ffmpeg` is a folder, and `links/ffmpeg` leads to the first.
    let home = TemporaryFolder()

    init() throws {
        for folder in ["bin", "data", "second"] { try home.write("#!/bin/sh\n", to: folder + "/ffmpeg") }
        for folder in ["bin", "second"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: home.at(folder + "/ffmpeg").string)
        }
        try home.make("folders/ffmpeg")
        try home.make("links")
        try home.link("links/ffmpeg", to: "../bin/ffmpeg")
    }

    @Test(
        "the first program in the folders of a PATH is found",
        arguments: [
            ("@/bin", "bin"), ("@/data:@/folders:@/nothing:@/bin:@/second", "bin"), ("@/second:@/bin", "second"),
            ("@/links", "links"), ("", nil), (":", nil), ("@/data:@/folders", nil), (".:bin:../bin", nil),
            ("::@/bin/../second/::", "second"),
        ] as [(String, String?)])
    func automatic(path: String, folder: String?) {
        let found = FFmpeg.find(.automatic(path: path.replacingOccurrences(of: "@", with: home.path.string)))
        #expect(found?.executable == folder.map { home.at($0 + "/ffmpeg") })
    }

    @Test(
        "a path is taken if it leads to a program",
        arguments: [("bin", true), ("links", true), ("data", false), ("folders", false), ("nothing", false)])
    func path(folder: String, isFound: Bool) {
        let path = home.at(folder + "/ffmpeg")
        #expect(FFmpeg.find(.path(path.string))?.executable == (isFound ? path : nil))
    }

    @Test("a relative path starts at the working folder; none is none")
    func others() {
        let up = String(repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
        let relative = up + home.at("bin/ffmpeg").string.dropFirst()
        #expect(FFmpeg.find(.path(relative))?.executable == home.at("bin/ffmpeg"))
        #expect(FFmpeg.find(.path("")) == nil)
        #expect(FFmpeg.find(.none) == nil)
    }

    @Test(
        "the version is the first line that is printed, if the program ends well",
        arguments: [
            ("echo 'ffmpeg version 7.1'; echo 'built with care'", "ffmpeg version 7.1"),
            ("yes | tr -d '\\n' | head -c 100000", String(repeating: "y", count: 200)),
            ("echo 'x\u{1B}[1m'", "x[1m"), ("echo 'ffmpeg version 1'; exit 1", nil), ("exit 0", nil),
            ("[ \"$*\" = -version ] && echo yes", "yes"),
        ] as [(String, String?)])
    func version(script: String, version: String?) async throws {
        let fake = try FakeFFmpeg(script)
        #expect(await fake.program.version() == version)
        #expect(fake.folder.has("ffmpeg"))
    }

    @Test("a program that hangs has no version")
    func hanging() async throws {
        let fake = try FakeFFmpeg("echo x; sleep 1000")
        #expect(await fake.program.version(limit: .milliseconds(200)) == nil)
        #expect(fake.folder.has("ffmpeg"))
        #expect(await FFmpeg(executable: home.at("nothing")).version() == nil)
    }
}
