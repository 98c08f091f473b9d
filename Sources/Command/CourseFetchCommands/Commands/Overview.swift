/// The text of `coursefetch` without arguments.
enum Overview {
    static let text = """
        coursefetch \(CourseFetch.version) downloads the videos of course catalogs and keeps them up to date.

          coursefetch init                           write a first catalog and settings
          coursefetch add ADDRESS                    add what is at an address to the catalog
          coursefetch sync catalog.yaml              download what is missing, continue what is unfinished
          coursefetch sync catalog.yaml --dry-run    show what sync would do, and why
          coursefetch check catalog.yaml             check the catalog for mistakes
          coursefetch status                         show what is finished, running and failed
          coursefetch resolve catalog.yaml COURSE    show the provider's answers for its videos
          coursefetch plugins list                   list the installed providers
          coursefetch login --provider NAME          log in at a provider

        A catalog lists courses, chapters and videos; a provider plugin knows the current URL of each video.
        More: coursefetch help sync, or man coursefetch.
        """
}
