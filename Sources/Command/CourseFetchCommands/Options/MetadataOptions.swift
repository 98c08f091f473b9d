import ArgumentParser

/// Options for the files that a sync writes beside the videos.
struct MetadataOptions: SettingOptions {
    @Flag(\.writeNfo) var writeNfo: Bool?
    @Flag(\.writeInfoJson) var writeInfoJson: Bool?
    @Flag(\.writePlaylist) var writePlaylist: Bool?
    @Flag(\.writeIndex) var writeIndex: Bool?
}
