extension Listing {
    /// Decodes the `result` of a `list`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            title: try container.decodeIfPresent(String.self, forKey: .title),
            cover: try container.decodeIfPresent(String.self, forKey: .cover),
            chapters: try container.decodeIfPresent([Chapter].self, forKey: .chapters) ?? [],
            videos: try container.decodeIfPresent([Video].self, forKey: .videos) ?? [],
            next: try container.decodeIfPresent(String.self, forKey: .next),
            credentials: try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .credentials))
    }
}

extension Listing.Chapter {
    /// Decodes a chapter; everything but its id is optional.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            cover: try container.decodeIfPresent(String.self, forKey: .cover),
            videos: try container.decodeIfPresent([Listing.Video].self, forKey: .videos) ?? [])
    }
}

extension Listing.Video {
    /// Decodes a video; everything but its id is optional, and a bare string is its id, as in a catalog.
    public init(from decoder: any Decoder) throws {
        if let id = try? decoder.singleValueContainer().decode(String.self) {
            self.init(id: id)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            cover: try container.decodeIfPresent(String.self, forKey: .cover),
            parameters: try container.decodeIfPresent([String: JSONValue].self, forKey: .parameters) ?? [:],
            size: try container.decodeIfPresent(Int64.self, forKey: .size),
            sha256: try container.decodeIfPresent(String.self, forKey: .sha256),
            subtitleFiles: try container.decodeIfPresent([Resolution.Subtitle].self, forKey: .subtitleFiles) ?? [],
            attachments: try container.decodeIfPresent([Resolution.Attachment].self, forKey: .attachments) ?? [])
    }
}
