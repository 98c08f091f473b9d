/// The recorded exchanges of a new plugin that lists a folder by its index.json.
enum IndexFixture {
    static let fixture = """
        # What coursefetch plugins check asks for. The *.http files are what the host answers.
        parameters: {endpoint: "https://media.example.org/course"}

        """

    static let exchange = """
        GET /course/index.json

        HTTP/1.1 200 OK
        Content-Type: application/json

        {"title": "A course", "videos": [{"id": "first", "title": "The first"}, {"id": "second video"}]}

        """
}
