import Foundation
import MediaTransfer
import TestServers
import Testing
import TextFormats

/// The clock of a server.
@Suite struct ServerTimeTests {
    private static let content = TestContent(seed: 5, size: 100)

    /// The URL of an answer with this `Date`, and other fields.
    private static func url(_ host: FaultHost, date: String, _ more: String = "") -> String {
        host.url(content, "date=none&raw=" + PercentEncoding.encoded("Date: \(date)") + more)
    }

    @Test("the Date of a cached answer isn't used as a clock", arguments: ["0", "3600", "soon"])
    func cached(age: String) async throws {
        let host = try await FaultHost.start()
        let wrong = host.url(Self.content, "skew=3600")
        let ahead = try #require(try ServerTime.skew(of: wrong, caFile: nil))
        #expect(abs(ahead - 3600) < 3)
        for line in ["Age: \(age)", "age:\(age)"] {
            #expect(try ServerTime.skew(of: "\(wrong)&raw=\(PercentEncoding.encoded(line))", caFile: nil) == nil)
            #expect(try ServerTime.skew(of: "\(wrong)&first=\(PercentEncoding.encoded(line))", caFile: nil) == nil)
        }
        #expect(try ServerTime.skew(of: host.url(Self.content, "date=none"), caFile: nil) == nil)
        await host.stop()
    }

    @Test(
        "dates are read the same in a process with another locale",
        .enabled(if: access("/usr/bin/localedef", X_OK) == 0, "no locale can be made here to read them in"))
    func locale() async throws {
        // A locale is a process's own, so a process of its own.
        await #expect(processExitsWith: .success) {
            // Its months have other names, and its I isn't the capital of i.
            let folder = try TestFolder()
            let localedef = try Process.run(
                URL(filePath: "/usr/bin/localedef"),
                arguments: ["--no-archive", "-c", "-i", "tr_TR", "-f", "UTF-8", folder.path("tr_TR.UTF-8")])
            localedef.waitUntilExit()
            setenv("LOCPATH", folder.path(""), 1)
            setenv("LC_ALL", "tr_TR.UTF-8", 1)
            precondition(setlocale(LC_ALL, "") != nil, "the locale isn't there")
            precondition(String(cString: nl_langinfo(Int32(ABMON_7))) != "Jul", "it isn't another one")
            for text in [
                "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                "SUN, 06 NOV 1994 08:49:37 GMT",
            ] {
                precondition(HTTPDate.seconds(text, now: 1_795_132_800) == 784_111_777, "\(text)")
            }
            for month in ["JUN", "JUL", "APR", "AUG"] {
                precondition(HTTPDate.seconds("Sun, 06 \(month) 1994 08:49:37 GMT", now: 0) != nil, "\(month)")
            }
            let host = try await FaultHost.start()
            let url = ServerTimeTests.url(host, date: "Fri, 06 Jul 2001 08:49:37 GMT")
            let skew = try ServerTime.skew(of: url, caFile: nil) ?? 0
            precondition(abs(994_409_377 - Date().timeIntervalSince1970 - skew) < 3, "\(skew)")
            let bench = try Workbench()
            let busy = await bench.fetch(
                ServerTimeTests.url(host, date: "Fri, 06 Jul 2001 08:49:37 GMT", "&etag=none"),
                into: try bench.partial())
            precondition(busy.head?.date == Date(timeIntervalSince1970: 994_409_377), "\(busy)")
            precondition(busy.head?.lastModified == nil, "it is changed after it was sent")
            await bench.finish()
        }
    }
}
