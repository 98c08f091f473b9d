import Foundation
import Testing

@testable import ProviderKit

/// Lines in, lines out.
@Suite struct ServerTests {
    private struct Fixed: Provider {
        func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
            switch request.video.id {
            case "late": throw ProviderError(.notReady, "tonight", retryAfter: .seconds(90))
            case "odd": throw ProviderError(.pluginFault, "no idea")
            case "host": throw ProviderError(.providerFailed, "not for a plugin to say")
            case "endless": return Resolution(url: "https://h/", duration: .infinity)
            default: return Resolution(url: "https://h/\(request.video.id)")
            }
        }
    }

    /// Knows one address.
    private struct Knowing: Provider {
        func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
            Resolution(url: "https://h/")
        }

        func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
            guard request.cursor == nil else { return CourseList(courses: []) }
            let begins = request.now.addingTimeInterval(3600)
            return CourseList(courses: [.init(id: "c", parameters: request.parameters, begins: begins)], next: "2")
        }

        func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
            guard request.address == "https://h/c" else { return Recognition() }
            return Recognition(.init(title: "C", parameters: ["endpoint": .string(request.address)]))
        }
    }

    @Test("an address is known, or it isn't")
    func addresses() async throws {
        func answer(_ address: String, by provider: some Provider) async throws -> String {
            let pipe = Pipe()
            let server = PluginServer(
                provider: provider, output: PluginOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor))
            await server.serve(
                #"{"id":7,"method":"recognise","params":{"user":"u","now":"2026-11-20T23:00:00Z","address":"\#(address)"}}"#
            )
            try pipe.fileHandleForWriting.close()
            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        #expect(
            try await answer("https://h/c", by: Knowing())
                == #"{"id":7,"jsonrpc":"2.0","result":{"course":{"parameters":{"endpoint":"https://h/c"},"title":"C"}}}"#
                + "\n")
        #expect(try await answer("https://h/d", by: Knowing()) == #"{"id":7,"jsonrpc":"2.0","result":{}}"# + "\n")
        #expect(try await answer("https://h/c", by: Fixed()).contains("-32601"))
    }

    @Test("the user's courses come page after page")
    func courses() async throws {
        func answer(_ params: String) async throws -> String {
            let pipe = Pipe()
            let server = PluginServer(
                provider: Knowing(), output: PluginOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor))
            await server.serve(
                #"{"id":7,"method":"courses","params":{"user":"u","now":"2026-11-20T23:00:00Z",\#(params)}}"#)
            try pipe.fileHandleForWriting.close()
            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        let course = #"{"begins":"2026-11-21T00:00:00Z","id":"c","parameters":{"endpoint":"https://h/"}}"#
        #expect(
            try await answer(#""parameters":{"endpoint":"https://h/"},"cursor":null"#)
                == #"{"id":7,"jsonrpc":"2.0","result":{"courses":[\#(course)],"next":"2"}}"# + "\n")
        #expect(
            try await answer(#""parameters":{},"cursor":"2""#) == #"{"id":7,"jsonrpc":"2.0","result":{"courses":[]}}"#
                + "\n")
    }

    private func answer(_ line: String) async throws -> String {
        let pipe = Pipe()
        let server = PluginServer(
            provider: Fixed(), output: PluginOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        await server.serve(line)
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    private func resolve(_ id: String) -> String {
        #"{"jsonrpc":"2.0","id":7,"method":"resolve","params":{"user":"u","now":"2026-11-20T23:00:00Z","#
            + #""video":{"id":"\#(id)","title":"","parameters":{}},"course":{"id":"c","title":""},"more":1}}"#
    }

    @Test("an answer has the id of its request, an error its kind")
    func answers() async throws {
        #expect(
            try await answer(resolve("v")) == #"{"id":7,"jsonrpc":"2.0","result":{"kind":"file","url":"https://h/v"}}"#
                + "\n")
        #expect(
            try await answer(resolve("late"))
                == #"{"error":{"code":-32000,"data":{"kind":"not_ready","retry_after":90},"message":"tonight"},"id":7,"jsonrpc":"2.0"}"#
                + "\n")
        #expect(
            try await answer(resolve("odd"))
                == #"{"error":{"code":-32603,"data":{},"message":"no idea"},"id":7,"jsonrpc":"2.0"}"# + "\n")
        #expect(try await answer(resolve("host")).contains(#""data":{}"#))
        #expect(try await answer(resolve("endless")).contains("a number that JSON can't express"))
    }

    @Test("unsupported requests get an error with their id; notifications and junk get no answer")
    func unusable() async throws {
        #expect(
            try await answer(#"{"id":8,"method":"dance"}"#)
                == #"{"error":{"code":-32601,"data":{},"message":"unknown method 'dance'"},"id":8,"jsonrpc":"2.0"}"#
                + "\n")
        #expect(
            try await answer(#"{"id":8,"method":"list","params":{}}"#).contains("can't read the parameters of list"))
        let list =
            #"{"id":8,"method":"list","params":{"user":"u","now":"2026-11-20T23:00:00Z","course":{"id":"c","title":"","parameters":{}}}}"#
        #expect(try await answer(list).contains("this provider can't list courses"))
        #expect(try await answer(#"{"method":"news"}"#) == "")
        #expect(try await answer("junk") == "")
    }

    @Test("a provider without its own init can't run as a process, but within a program")
    func embedded() async throws {
        struct Embedded: Provider {
            var host: String
            func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
                Resolution(url: "https://\(host)/\(request.video.id)")
            }
        }
        #expect(Embedded() == nil)
        let provider: any Provider = Embedded(host: "h")
        let request = ResolveRequest(user: "u", now: .now, video: .init(id: "v"), course: .init(id: "c"))
        #expect(try await provider.resolve(request).url == "https://h/v")
    }
}
