extension Resolution: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, kind, token, tokens, headers, size, sha256, checksums, title, duration, extendable, subtitles, tracks
        case role, streams
        case attachments, cover, credentials
        case expiresAt = "expires_at"
        case fileExtension = "extension"
        case mediaType = "media_type"
        case singleUse = "single_use"
    }

    /// Decodes the `result` of a `resolve`. Unknown keys are ignored; an unknown `kind` and a malformed time are
    /// errors.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            url: try container.decode(String.self, forKey: .url),
            kind: try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .file,
            token: try container.decodeIfPresent(Token.self, forKey: .token),
            expiresAt: try container.decodeTimestampIfPresent(forKey: .expiresAt),
            headers: try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            size: try container.decodeIfPresent(Int64.self, forKey: .size),
            sha256: try container.decodeIfPresent(String.self, forKey: .sha256),
            fileExtension: try container.decodeIfPresent(String.self, forKey: .fileExtension),
            mediaType: try container.decodeIfPresent(String.self, forKey: .mediaType),
            duration: try container.decodeIfPresent(Double.self, forKey: .duration),
            singleUse: try container.decodeIfPresent(Bool.self, forKey: .singleUse) ?? false,
            extendable: try container.decodeIfPresent(Bool.self, forKey: .extendable) ?? false,
            subtitles: try container.decodeIfPresent([Subtitle].self, forKey: .subtitles) ?? [],
            attachments: try container.decodeIfPresent([Attachment].self, forKey: .attachments) ?? [],
            cover: try container.decodeIfPresent(String.self, forKey: .cover),
            credentials: try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .credentials),
            tokens: try container.decodeIfPresent([Token].self, forKey: .tokens) ?? [],
            checksums: try container.decodeIfPresent(Checksums.self, forKey: .checksums),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            tracks: try container.decodeIfPresent([Track].self, forKey: .tracks) ?? [],
            role: try container.decodeIfPresent(String.self, forKey: .role),
            streams: try container.decodeIfPresent([Stream].self, forKey: .streams) ?? [])
    }

    /// Encodes the `result` of a `resolve` without empty and default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(token, forKey: .token)
        if !tokens.isEmpty { try container.encode(tokens, forKey: .tokens) }
        try container.encodeIfPresent(expiresAt.map(Timestamp.text), forKey: .expiresAt)
        if !headers.isEmpty { try container.encode(headers, forKey: .headers) }
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(sha256, forKey: .sha256)
        try container.encodeIfPresent(checksums, forKey: .checksums)
        try container.encodeIfPresent(title?.boundTitle, forKey: .title)
        try container.encodeIfPresent(fileExtension, forKey: .fileExtension)
        try container.encodeIfPresent(mediaType, forKey: .mediaType)
        try container.encodeIfPresent(duration, forKey: .duration)
        if singleUse { try container.encode(true, forKey: .singleUse) }
        if extendable { try container.encode(true, forKey: .extendable) }
        if !tracks.isEmpty { try container.encode(tracks, forKey: .tracks) }
        try container.encodeIfPresent(role, forKey: .role)
        if !streams.isEmpty { try container.encode(streams, forKey: .streams) }
        if !subtitles.isEmpty { try container.encode(subtitles, forKey: .subtitles) }
        if !attachments.isEmpty { try container.encode(attachments, forKey: .attachments) }
        try container.encodeIfPresent(cover, forKey: .cover)
        try container.encodeIfPresent(credentials, forKey: .credentials)
    }
}

extension Resolution.Subtitle {
    private enum CodingKeys: String, CodingKey {
        case lang, url, text
    }

    /// Decodes subtitles that have a `url` or a `text`; with neither, which is a mistake or a later version's form,
    /// the URL is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lang = try container.decode(String.self, forKey: .lang)
        text = try container.decodeIfPresent(String.self, forKey: .text)
        url = text == nil ? try container.decodeIfPresent(String.self, forKey: .url) ?? "" : ""
    }

    /// Encodes the text, or else the URL.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lang, forKey: .lang)
        if let text {
            try container.encode(text, forKey: .text)
        } else {
            try container.encode(url, forKey: .url)
        }
    }
}

extension Resolution.Attachment {
    private enum CodingKeys: String, CodingKey {
        case title, url
    }

    /// Decodes an attachment. Without a `url`, which is a mistake or a later version's form, the URL is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        url = try container.decodeIfPresent(String.self, forKey: .url) ?? ""
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(url, forKey: .url)
    }
}
