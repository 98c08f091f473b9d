import CourseFetchCommands

await EntryPoint.main()
