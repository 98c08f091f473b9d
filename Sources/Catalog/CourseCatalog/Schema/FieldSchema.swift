import PathLayout
import TextFormats

/// The schema of each key's value. If the format reads text as written (`id: 007`), the schema allows every type that
/// YAML may give it.
enum FieldSchema {
    /// The schema of a key's value.
    static func schema(of field: CatalogField) -> JSONDocument {
        switch field {
        case .version: ["const": 1]
        case .name, .title, .description: text
        case .layout: ["type": "string", "anyOf": [["enum": presets], ["pattern": "^[^/].*\\.\\{ext\\}$"]]]
        case .date: ["type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"]
        case .include: ["anyOf": [path, ["type": "array", "items": path]]]
        case .defaults: ["$ref": "#/$defs/defaults"]
        case .coursesOf: ["anyOf": [["$ref": "#/$defs/courseSource"], list(of: "courseSource")]]
        case .prefix: ["type": scalarTypes, "minLength": 1, "maxLength": .int(CatalogBounds.prefix)]
        case .courses: list(of: "course")
        case .id: ["$ref": "#/$defs/id"]
        case .chapters: list(of: "chapter")
        case .videos:
            [
                "type": "array",
                "items": ["anyOf": [["$ref": "#/$defs/id"], ["$ref": "#/$defs/video"]]],
            ]
        case .discover: ["anyOf": [["type": "boolean"], ["$ref": "#/$defs/discovery"]]]
        case .includedTitles, .excludedTitles: ["anyOf": [text, ["type": "array", "items": text]]]
        case .newest: ["type": "integer", "minimum": 1, "maximum": .int(CatalogBounds.newest)]
        case .every: ["type": "string", "pattern": .string(CatalogDecoder.intervalPattern)]
        case .handOver: ["anyOf": [provider, ["type": "array", "items": provider]]]
        case .provider: provider
        case .priority:
            [
                "anyOf": [
                    ["enum": ["low", "normal", "high"]],
                    [
                        "type": "integer", "minimum": .int(-CatalogBounds.priority),
                        "maximum": .int(CatalogBounds.priority),
                    ],
                ]
            ]
        case .quality:
            ["anyOf": [quality, ["type": "array", "items": quality, "minItems": 1]]]
        case .audio: ["anyOf": [["const": "all"], languages]]
        case .subtitles: ["anyOf": [["enum": ["all", "none"]], languages]]
        case .streams: ["anyOf": [role, ["type": "array", "items": role, "minItems": 1]]]
        case .live: ["enum": .array(LiveStreams.allCases.map { .string($0.rawValue) })]
        case .parameters: ["type": "object"]
        case .cover:
            ["type": "string", "anyOf": [["pattern": .string(urlPattern)], ["pattern": .string(besidePattern)]]]
        case .sha256: hexadecimal(digits: 64)
        case .checksums: ["$ref": "#/$defs/checksums"]
        case .md5: hexadecimal(digits: 32)
        case .sha1: hexadecimal(digits: 40)
        case .crc32: hexadecimal(digits: 8)
        case .episode, .season: ["type": "integer", "minimum": 0, "maximum": .int(CatalogBounds.number)]
        case .maxSize: ["type": "integer", "minimum": 1, "maximum": .int(1 << 53)]
        case .stripNumbers: ["type": "boolean"]
        case .size: ["type": "integer", "minimum": 0, "maximum": .int(1 << 53)]
        case .subtitleFiles: list(of: "subtitleFile")
        case .attachments: list(of: "attachment")
        case .lang: ["$ref": "#/$defs/language"]
        case .url: ["type": "string", "pattern": .string(urlPattern)]
        }
    }

    /// Definitions shared by several keys.
    static let shared: [(String, JSONDocument)] = [
        ("id", ["type": scalarTypes, "minLength": 1, "maxLength": .int(CatalogBounds.identifier)]),
        ("language", ["type": "string", "pattern": .string(CatalogDecoder.languagePattern)]),
    ]

    private static let presets = JSONDocument.array(LayoutPreset.allCases.map { .string($0.rawValue) })
    private static let scalarTypes: JSONDocument = ["string", "number", "boolean"]
    private static let text: JSONDocument = ["type": scalarTypes, "minLength": 1]
    private static let path: JSONDocument = [
        "type": "string", "minLength": 1, "not": ["pattern": "^[hH][tT][tT][pP][sS]?://"],
    ]
    private static let provider: JSONDocument = [
        "type": scalarTypes, "pattern": .string(CatalogDecoder.providerPattern),
    ]
    private static let quality: JSONDocument = ["type": "string", "pattern": .string(Quality.pattern)]
    private static let languages: JSONDocument = [
        "anyOf": [["$ref": "#/$defs/language"], ["type": "array", "items": ["$ref": "#/$defs/language"]]]
    ]

    private static let role: JSONDocument = [
        "type": scalarTypes, "minLength": 1, "maxLength": .int(StreamSelection.roleBound),
    ]

    private static let urlPattern = "^[hH][tT][tT][pP][sS]?://[^/?#\\s][^\\s]*$"
    private static let besidePattern = "^(?!/)(?!(.*/)?\\.\\.(/|$))(?!.*://).+$"

    private static func hexadecimal(digits: Int) -> JSONDocument {
        ["type": "string", "pattern": .string("^[0-9A-Fa-f]{\(digits)}$")]
    }

    private static func list(of definition: String) -> JSONDocument {
        ["type": "array", "items": ["$ref": .string("#/$defs/\(definition)")]]
    }
}

extension CatalogField {
    /// The description of the key in an editor.
    var summary: String {
        switch self {
        case .version: "The version of the catalog format."
        case .name: "A description of this catalog."
        case .include: "Catalog files whose courses follow, relative to this file; globs are allowed."
        case .defaults: "Values that every course, chapter and video inherits; the nearest one wins."
        case .coursesOf: "Providers that each sync asks for the courses that the user has there."
        case .prefix: "Comes before the ids of these courses, so that they differ from those of others."
        case .courses: "The courses."
        case .id: "Identifies it permanently; never empty. A video's id is the one that its provider uses."
        case .layout:
            """
            How files are named: plain, plex, jellyfin, podcast, or a template such as {course}/{number:02} \
            {title}.{ext}.
            """
        case .title: "The title; by default the id."
        case .description: "What it is about, for .nfo, .info.json and index.html."
        case .date: "The day on which it was published, such as 2026-10-05."
        case .episode: "Its number in its season, for {number}; by default its place among its siblings."
        case .season: "Its number as a season, for {season}; by default its place among the chapters."
        case .chapters: "The chapters."
        case .videos: "The videos: an id alone, or a mapping."
        case .discover:
            "Whether each sync asks the provider for the videos of the course; or which of them, and how often."
        case .includedTitles: "Patterns on titles, such as Lecture *: only listed videos that match one."
        case .excludedTitles: "Patterns on titles: no listed videos that match one."
        case .newest: "Only this many of the listed videos, the newest ones."
        case .every: "How often the provider is asked at most, such as 6h; by default at each sync."
        case .handOver: "Other providers that may have listed videos: those that the listing may name."
        case .provider: "The plugin that resolves the video."
        case .priority: "low (-10), normal (0), high (10) or a number; a higher priority goes first."
        case .quality:
            """
            best, worst, audio, a height such as 720p (the nearest at or below it), a bitrate bound such as 2500k, or \
            several of these in order of preference.
            """
        case .audio: "Languages in order of preference, or all, where a video has sound in several."
        case .subtitles: "all, none, or languages, out of those that the stream or the provider offers."
        case .streams:
            """
            all, or roles in order of preference, where a video has several pictures; by default what its provider \
            calls the main one.
            """
        case .live: "wait: a stream that is still live is downloaded once it has ended; record: as it goes."
        case .parameters: "Free keys and values for the provider, merged key by key; null removes an inherited key."
        case .cover: "A picture: an http(s) URL, or a path relative to the catalog."
        case .sha256: "The SHA-256 of the finished file in hexadecimal digits; quote it."
        case .checksums: "Other checksums of the finished file, as its host publishes them."
        case .md5: "Its MD5 in hexadecimal digits; quote it."
        case .sha1: "Its SHA-1 in hexadecimal digits; quote it."
        case .crc32: "Its CRC-32 in hexadecimal digits; quote it."
        case .maxSize: "The largest file that is downloaded, in bytes; it goes before --max-size."
        case .stripNumbers:
            "Whether the names of files and chapters leave out the number that a title begins with, such as Lecture 3:."
        case .size: "The size of the finished file in bytes."
        case .subtitleFiles: "Subtitle files to download with the video."
        case .attachments: "Other files to download with the video."
        case .lang: "A language, such as en or pt-BR."
        case .url: "The URL of the file."
        }
    }
}
