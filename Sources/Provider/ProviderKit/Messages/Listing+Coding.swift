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
            known: try container.decodeIfPresent(String.self, forKey: .known),
            unchanged: try container.decodeIfPresent(Bool.self, forKey: .unchanged) ?? false,
            credentials: try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .credentials))
    }
}

extension Listing {
    /// Encodes the `result` of a `list` without empty and default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(title?.boundTitle, forKey: .title)
        try container.encodeIfPresent(cover, forKey: .cover)
        if !chapters.isEmpty { try container.encode(chapters, forKey: .chapters) }
        if !videos.isEmpty { try container.encode(videos, forKey: .videos) }
        try container.encodeIfPresent(next, forKey: .next)
        try container.encodeIfPresent(known, forKey: .known)
        if unchanged { try container.encode(true, forKey: .unchanged) }
        try container.encodeIfPresent(credentials, forKey: .credentials)
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
            videos: try container.decodeIfPresent([Listing.Video].self, forKey: .videos) ?? [],
            season: try container.decodeIfPresent(Int.self, forKey: .season))
    }

    /// Encodes a chapter without empty values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(title?.boundTitle, forKey: .title)
        try container.encodeIfPresent(cover, forKey: .cover)
        try container.encode(videos, forKey: .videos)
        try container.encodeIfPresent(season, forKey: .season)
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
            formerly: try container.decodeIfPresent(String.self, forKey: .formerly),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            description: try container.decodeIfPresent(String.self, forKey: .description),
            publishedAt: try container.decodeTimestampIfPresent(forKey: .publishedAt),
            duration: try container.decodeIfPresent(Double.self, forKey: .duration),
            cover: try container.decodeIfPresent(String.self, forKey: .cover),
            parameters: try container.decodeIfPresent([String: JSONValue].self, forKey: .parameters) ?? [:],
            size: try container.decodeIfPresent(Int64.self, forKey: .size),
            sha256: try container.decodeIfPresent(String.self, forKey: .sha256),
            subtitleFiles: try container.decodeIfPresent([Resolution.Subtitle].self, forKey: .subtitleFiles) ?? [],
            attachments: try container.decodeIfPresent([Resolution.Attachment].self, forKey: .attachments) ?? [],
            episode: try container.decodeIfPresent(Int.self, forKey: .episode),
            checksums: try container.decodeIfPresent(Checksums.self, forKey: .checksums),
            availableAt: try container.decodeTimestampIfPresent(forKey: .availableAt),
            resolved: try container.decodeIfPresent(Resolution.self, forKey: .resolved),
            provider: try container.decodeIfPresent(String.self, forKey: .provider))
    }

    /// Encodes a video without empty values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(formerly, forKey: .formerly)
        try container.encodeIfPresent(title?.boundTitle, forKey: .title)
        try container.encodeIfPresent(description, forKey: .description)
        try container.encodeIfPresent(publishedAt.map(Timestamp.text), forKey: .publishedAt)
        try container.encodeIfPresent(duration, forKey: .duration)
        try container.encodeIfPresent(cover, forKey: .cover)
        if !parameters.isEmpty { try container.encode(parameters, forKey: .parameters) }
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(sha256, forKey: .sha256)
        if !subtitleFiles.isEmpty { try container.encode(subtitleFiles, forKey: .subtitleFiles) }
        if !attachments.isEmpty { try container.encode(attachments, forKey: .attachments) }
        try container.encodeIfPresent(episode, forKey: .episode)
        try container.encodeIfPresent(checksums, forKey: .checksums)
        try container.encodeIfPresent(availableAt.map(Timestamp.text), forKey: .availableAt)
        try container.encodeIfPresent(resolved, forKey: .resolved)
        try container.encodeIfPresent(provider, forKey: .provider)
    }
}
