/// One line from the host.
enum IncomingRequest: Decodable {
    case resolve(id: Int, ResolveRequest)
    case list(id: Int, ListRequest)
    case courses(id: Int, CoursesRequest)
    case recognise(id: Int, RecogniseRequest)
    case login(id: Int, LoginRequest)
    /// A request that can't be served: an unknown method, or invalid parameters.
    case unusable(id: Int, reason: ProviderError)
    /// A notification, which needs no answer. Version 1 has none.
    case notification

    private enum CodingKeys: String, CodingKey {
        case id, method, params
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = try container.decodeIfPresent(Int.self, forKey: .id) else {
            self = .notification
            return
        }
        let method = try container.decode(String.self, forKey: .method)
        do {
            switch method {
            case "resolve": self = .resolve(id: id, try container.decode(ResolveRequest.self, forKey: .params))
            case "list": self = .list(id: id, try container.decode(ListRequest.self, forKey: .params))
            case "courses": self = .courses(id: id, try container.decode(CoursesRequest.self, forKey: .params))
            case "recognise":
                self = .recognise(id: id, try container.decode(RecogniseRequest.self, forKey: .params))
            case "login": self = .login(id: id, try container.decode(LoginRequest.self, forKey: .params))
            default: self = .unusable(id: id, reason: ProviderError(.unsupported, "unknown method '\(method)'"))
            }
        } catch {
            self = .unusable(id: id, reason: ProviderError(.pluginFault, "can't read the parameters of \(method)"))
        }
    }
}
