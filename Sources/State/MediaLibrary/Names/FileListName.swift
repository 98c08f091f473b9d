/// The name of the library's list of its files, in coursefetch's folder or a shard's.
enum FileListName {
    static let text = "files.jsonl"
}
