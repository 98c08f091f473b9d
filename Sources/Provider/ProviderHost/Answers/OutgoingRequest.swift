import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request to a plugin.
enum OutgoingRequest: Sendable {
    case resolve(ResolveRequest)
    case list(ListRequest)
    case courses(CoursesRequest)
    case recognise(RecogniseRequest)
    case login(LoginRequest)

    private struct Request<Parameters: Encodable>: Encodable {
        var jsonrpc = "2.0"
        var id: Int
        var method: String
        var params: Parameters
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        // Without sorting, the order of keys would change from run to run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    var method: AnswerLine.Method {
        switch self {
        case .resolve: .resolve
        case .list: .list
        case .courses: .courses
        case .recognise: .recognise
        case .login: .login
        }
    }

    /// The ids of its video; nil if it has none.
    var subject: String? {
        guard case .resolve(let request) = self else { return nil }
        return [request.course.id, request.chapter?.id, request.video.id].compactMap(\.self).joined(separator: "/")
    }

    /// The credentials sent with it.
    var credentials: Secret<JSONValue>? {
        get {
            switch self {
            case .resolve(let request): request.credentials
            case .list(let request): request.credentials
            case .courses(let request): request.credentials
            case .recognise(let request): request.credentials
            case .login(let request): request.credentials
            }
        }
        set {
            switch self {
            case .resolve(var request):
                request.credentials = newValue
                self = .resolve(request)
            case .list(var request):
                request.credentials = newValue
                self = .list(request)
            case .courses(var request):
                request.credentials = newValue
                self = .courses(request)
            case .recognise(var request):
                request.credentials = newValue
                self = .recognise(request)
            case .login(var request):
                request.credentials = newValue
                self = .login(request)
            }
        }
    }

    /// Lets the plugin answer `renewal_needed` where it would renew the credentials. A login isn't changed.
    mutating func forbidRenewal() {
        switch self {
        case .resolve(var request):
            request.mayRenew = false
            self = .resolve(request)
        case .list(var request):
            request.mayRenew = false
            self = .list(request)
        case .courses(var request):
            request.mayRenew = false
            self = .courses(request)
        case .recognise(var request):
            request.mayRenew = false
            self = .recognise(request)
        case .login: break
        }
    }

    /// The plugin's own folder, sent with it.
    var dataFolder: String? {
        get {
            switch self {
            case .resolve(let request): request.dataFolder
            case .list(let request): request.dataFolder
            case .courses(let request): request.dataFolder
            case .recognise(let request): request.dataFolder
            case .login(let request): request.dataFolder
            }
        }
        set {
            switch self {
            case .resolve(var request):
                request.dataFolder = newValue
                self = .resolve(request)
            case .list(var request):
                request.dataFolder = newValue
                self = .list(request)
            case .courses(var request):
                request.dataFolder = newValue
                self = .courses(request)
            case .recognise(var request):
                request.dataFolder = newValue
                self = .recognise(request)
            case .login(var request):
                request.dataFolder = newValue
                self = .login(request)
            }
        }
    }

    /// The line for the request with the id `wire`, LF included.
    ///
    /// Throws if it contains a number that JSON doesn't have.
    func line(wire: Int) throws -> [UInt8] {
        switch self {
        case .resolve(let params): try RequestLine(params, wire: wire).bytes
        case .list(let params): try encode(params, wire)
        case .courses(let params): try encode(params, wire)
        case .recognise(let params): try encode(params, wire)
        case .login(let params): try encode(params, wire)
        }
    }

    private func encode(_ params: some Encodable, _ wire: Int) throws -> [UInt8] {
        try Self.encoder.encode(Request(id: wire, method: method.rawValue, params: params)) + [0x0A]
    }
}
