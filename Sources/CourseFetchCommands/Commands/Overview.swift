/// What `coursefetch` alone says.
enum Overview {
    static let text = """
        coursefetch \(CourseFetch.version) keeps a folder of course videos in step with a catalog.

          coursefetch init                           write a first catalog and settings
          coursefetch sync catalog.yaml              fetch what is missing, go on with what is unfinished
          coursefetch sync catalog.yaml --dry-run    say what would be done, and why
          coursefetch check catalog.yaml             look for mistakes in the catalog
          coursefetch status                         what is there, what is running, what failed
          coursefetch resolve catalog.yaml COURSE    what the provider answers for its videos
          coursefetch plugins list                   the providers that there are
          coursefetch login --provider NAME          a login at one of them

        A catalog names courses, chapters and videos; a provider says where each video is right now.
        More: coursefetch help sync, or man coursefetch.
        """
}
