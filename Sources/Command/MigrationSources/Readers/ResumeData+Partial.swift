extension ResumeData {
    /// The bytes that it tells of; nil if its temporary file is in none of the folders.
    func partial(in place: SourceFolder, folders: [String], total: Int64?) -> SourcePartial? {
        for folder in folders {
            for name in fileNames {
                guard let path = SourceFolder.relative("\(folder)/\(name)"),
                    SourceEntry.size(of: path, in: place) != nil
                else {
                    continue
                }
                return SourcePartial(path: path, length: received, total: total)
            }
        }
        return nil
    }
}
