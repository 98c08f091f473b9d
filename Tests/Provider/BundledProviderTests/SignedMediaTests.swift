import Foundation
import ProviderKit
import Testing

@testable import BundledProviders

/// Signatures as the vendors' own programs make them. The key was made for these tests.
@Suite struct SignedMediaTests {
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let pem = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEA0ba0vKlMCmIz+zHBpywi54jlBtVsvE8vYR5NbRe5HerbdDp5
        nkUdRQlyNePspLmMargF3WBTRgfpqt582sdAA8CkvKGsZZZnjvOb12My7JiLUuUq
        ECyAFjCRB7kcAqsQM2GTqdF1+tP/w/41e13ohlz/ydi6w2TX1P4M+gu/Ckil0fuK
        FxEGT3O2OQU0nkkFDihuIb6SY2rHHbKSAEhbPg3oix8ZjT/F3+JvKkzal9Yb1nyp
        sMnR0j5nTnvRpm+7ZZCpKjJskgmLAYFxB8Rr5ezzV41M0XFgcl2Zr4fuKU9okCmN
        OLVM9BTG6KuLJOK0n5Ixq3yjkhDRsRXh0AjYjwIDAQABAoIBAAZhCd9hQPRh51Xh
        PhRBNfCYC+toy41w1S6dltpWKeXckn9XFgL39Dt43ZYBEF40XK6UWW1R9EaBkByH
        9wFKpUpX7krkmhNe/1hsVZW4KUDkJPzJBr4GNIE4SfkTquPz4yLE+ZJlUjLmhvWl
        wme1xBBuPMOdiZTO+Pe8IJXsjIuZ+v2Ulj0ezmCmlVQ5Z4GPDgfPjoFtd9Yf5/cK
        aIXEQVcWIU5ylGEr0EO0qW9dyXvs8ZVbgkBsBIi98wzViJVZyOrskt/i9xDYgqBU
        S2B+zITnO73GD7C45GIFpJfi4PyLPDX/O6LuycyJq0rxM94jt/g8q6QELjT0xav/
        DvkFQe0CgYEA9rFojFeLFidyvEsOCmGAWgzWtxw9zMRmS+YdhibGDwoUAuzvK5Of
        S4wLdKzxtI5GFuNBO0FC81+cmO42fzo/C0Yg95YEqniTO0umAYH6ZU73mnC7N3s6
        OwUxEh6AY7tQ5ZIR3B51o9qlFYG4jmuaW2B6IjIOsElBut8PKsyVgaUCgYEA2aAl
        mlOVJ+UaeECzVL+RsaLK9ulBK+TH/DgctgtdCvzCsPTyoet55Y2zhGgCn7/sq9qg
        3fma6F3lDzC+4SxiOP0mZKlz0ORJoC84xMEo3C+dPAG/2krncyFGpc4YcaewdyX5
        LPCWP5AIqOmM2wjTeYyTa8hM+4y+kjHspm//cyMCgYBlYXE6w7toJlwTn7CseXdb
        Co2vAM8w+MGljXMyr3qTsauZrC96NBex32LR10UZ06JgQ5KKPH68L93WR4dj79b6
        1h40QZW3TQgMxUD6u6Tgv3woHw4BdgXvPWn2LUzML63GOqpWULo91Vwko4PqG7R6
        uwJWTUYWEnUNzB+akisa9QKBgQCczRrK2zY5DIXJ5zRO98iN6PG8fcwLSEgfnn5x
        XDap1/yfa532tKebkkGqQRbC65InMNt/lHzct+p2y3R84XHUBfJHzSA5foLd+6g3
        e8VpAJWVytzk99tTxMIWbSyHl386Gg4zJxXarnjO25g1qWJVzcfafPOau4oD5BzS
        vxebaQKBgQCt3DOzUw3Sfj9D6r0h3zz7onpeQlrjjemtluOh7B6+TtoD5GuBVRsH
        w/D+jU6AdgfqZDu8eT9UlT6eMwygLQnvZjU8Raiw6NPPEbmRyiRoPNPThwZ/Mz7a
        OeXwDIk43NkKWUPEYqJbo/X/HKnGx3M9qi5Etgp2CM8uaZB1vxFwBg==
        -----END RSA PRIVATE KEY-----
        """

    /// What a provider answers for a video of a server with a login.
    private func resolve(
        _ provider: some Provider, _ id: String, key: String, _ parameters: [String: JSONValue]
    ) async throws(ProviderError) -> Resolution {
        let server = parameters["endpoint"]?.string ?? ""
        return try await provider.resolve(
            ResolveRequest(
                user: "anna", now: Self.now,
                credentials: Secret(["hosts": .object([server: ["key": .string(key)]])]),
                video: .init(id: id, parameters: parameters), course: .init(id: "c")))
    }

    // MARK: - Amazon CloudFront: botocore 1.43.11 (`CloudFrontSigner`), signatures by `openssl dgst -sign`

    private static let server = "https://d111111abcdef8.cloudfront.net"

    private func cloudFront(_ id: String, _ more: [String: JSONValue]) async throws -> [String: String] {
        let parameters: [String: JSONValue] = [
            "endpoint": .string(Self.server), "key_id": "K2JCJMDEHXQW5F", "path": "/optics/{id}",
        ]
        let got = try await resolve(CloudFrontProvider(), id, key: Self.pem, parameters.merging(more) { $1 })
        #expect(got.expiresAt == Self.now.addingTimeInterval(3600))
        return Dictionary(got.tokens.map { ($0.name, $0.value) }) { $1 }
    }

    @Test("a canned policy with both hashes, a custom one of a folder, and one with an address")
    func cloudFront() async throws {
        #expect(
            try await cloudFront("a b.mp4", [:]) == [
                "Expires": "1795219200", "Key-Pair-Id": "K2JCJMDEHXQW5F",
                "Signature": """
                XoNpdGGgKhOR10VUsZIsiES6g8t1EVmI~QoIOBTotYHvrqap6Zj2kpbhFU6TH2gPNchKadLQb5W6dYUXXX2PjgIyTZGAfqQY~ndE\
                -qExWxz59s4LVgmRKTEY1qrcEnRrGAZWNZod-cZHkrKfGA8kxjUl0fqIOq-kbZRGyeAMn6e036HZyr6MZD84jwQS1s8vcGaRrol7\
                ihmPM6-iMnhb0p2kwGO3EUu2weSxNDnlmpvXaBe1g0xomxzPzH9l7i~IJP~F~yjFioTOmkxh~klktS2JDEguB8hXttHx8~rYOswk\
                HLOuEyuU1DyyVltL-gPjc608~bNaRoEIwJD4gSO6XQ__
                """,
            ])
        #expect(
            try await cloudFront("a b.mp4", ["hash": "SHA256", "in": "cookie"]) == [
                "CloudFront-Expires": "1795219200", "CloudFront-Key-Pair-Id": "K2JCJMDEHXQW5F",
                "CloudFront-Hash-Algorithm": "SHA256",
                "CloudFront-Signature": """
                rdCn62Bzs4ZnDFODASlkUBCyz7cn65ITgfrVFFRPORtzsUUQdvwN~n-kkSxeODNxYaJ52yUqpQImLNfMlI56lgow43rae0aaU9Bw\
                UjiuqbzKLoj9mDBMndlzlddUXZF~7W4mdqAArDc6APsPNThZqqDb0iIofXUOW0aIyIdtSzA6EB4cv5yLUXk0az~1d7Tydf4fSmvu\
                WgnngbEb9zLRWOTnEWywdQ-s29N5sNPmoH0S7vama5AHAuG3WD7S4-Hxo0E77MDeRPhV4QdFEVEVYAdiL3w2udNuGUen0G8jaLjl\
                QsgFkZqRrO7EmwRItJB4EyyAsb6oIF45Ru9id-CqUw__
                """,
            ])
        #expect(
            try await cloudFront("waves/index.m3u8", ["kind": "hls"]) == [
                "Key-Pair-Id": "K2JCJMDEHXQW5F",
                "Policy": """
                eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoiaHR0cHM6Ly9kMTExMTExYWJjZGVmOC5jbG91ZGZyb250Lm5ldC9vcHRpY3Mvd2F2\
                ZXMvKiIsIkNvbmRpdGlvbiI6eyJEYXRlTGVzc1RoYW4iOnsiQVdTOkVwb2NoVGltZSI6MTc5NTIxOTIwMH19fV19
                """,
                "Signature": """
                KsjG646pxqGrzsYtJ8ySE8yg~n6j2zvQmoZdeNadZ8p4o6sQrIqMQ7OwzwCwWllSu~TtH5xizJPBVAWto4Ksl5HYH3r6waFZsa~f\
                qhu6Nx0ZZTH~CypL04MNFZ8jEqXGKIrcH4HYEfcbSdz-uGrYi6i7HH3mE2kx6RjlJxGa2HN3hujQHDwOD~dMFELZzvcQsZDxpVxm\
                7sr4Y9JfuCTdLIx6nG~Sq8~t23ECbMESemW5kMq6SW9~oR-2OuZE1LqrBI~uhJRcRH7LrP5BxVqn1fGn9KtbEQjNV2RwaF8MBjsI\
                OhkHe0gwuZafJ7SiqZ-okfXRw5ViDvi3Urnuf9SItQ__
                """,
            ])
        #expect(
            try await cloudFront("a b.mp4", ["ip": "192.0.2.7"])["Policy"] == """
                eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoiaHR0cHM6Ly9kMTExMTExYWJjZGVmOC5jbG91ZGZyb250Lm5ldC9vcHRpY3MvYSUy\
                MGIubXA0IiwiQ29uZGl0aW9uIjp7IkRhdGVMZXNzVGhhbiI6eyJBV1M6RXBvY2hUaW1lIjoxNzk1MjE5MjAwfSwiSXBBZGRyZXNz\
                Ijp7IkFXUzpTb3VyY2VJcCI6IjE5Mi4wLjIuNy8zMiJ9fX1dfQ__
                """)
    }

    // MARK: - Bunny: e2e/vectors.json of BunnyWay/BunnyCDN.TokenAuthentication at 48ff1af, and token.py at 6396438

    @Test(
        "a token of HMAC with everything that limits it",
        arguments: [
            ("/300kb.jpg", [], nil, "HS256-o10JRWlsAItyAsdKS6jJKjabHN4FrFsplDHPV1idcX4"),
            ("/300kb.jpg", ["token_countries=CA,US"], nil, "HS256-i5s3Uv7mnrFfN5nznwU2BxhILpnipYeE18TapV0WNFM"),
            ("/300kb.jpg", ["token_countries_blocked=RU,CN"], nil, "HS256-JS8dSuBSjSH-W2-xhdkCPC36-2rlxfDCQJjlNMPqKZQ"),
            ("/abc", ["token_path=/abc"], nil, "HS256-uVZvT3SbEoVKYJyDJgbcsDmSFf73cv-uNUVaJiKWpbQ"),
            ("/300kb.jpg", [], "1.2.3.4", "HS256-1-L2rISTLcujMY9UFf2tbZ41d5i-Bme1g1oTK_Z2QMLJk"),
            ("/abc/", ["token_countries=CA,US"], "1.2.3.4", "HS256-1-4lIDGI2_t3wiTmopXzB7z71wtZKTe1Ic0lDlL72iAJw"),
        ] as [(String, [String], String?, String)])
    func bunny(_ path: String, _ parts: [String], _ ip: String?, _ token: String) {
        let parts = parts.map { $0.split(separator: "=").map(String.init) }.map { (name: $0[0], value: $0[1]) }
        let made = BunnyToken(path: path, expires: 1_598_024_587, parts: parts, ip: ip)
        #expect(made.text(.hmac, key: "SecurityKey") == token)
    }

    @Test("the older tokens, and one in a path")
    func olderBunny() async throws {
        let file = BunnyToken(path: "/300kb.jpg", expires: 1_598_024_587)
        #expect(file.text(.sha256, key: "SecurityKey") == "DlAr_yuteDmLE0l9_myLDuNMbGzKG67E5uBEAp3vnvw")
        #expect(file.text(.md5, key: "SecurityKey") == "Ao9wBEuhqk4V_zyPZgkzkA")
        let folder = BunnyToken(path: "/abc/", expires: 1_598_024_587, parts: [("token_path", "/abc/")])
        #expect(folder.text(.sha256, key: "SecurityKey") == "alU76DOO93fp0VNNww7NZZaBaWH2gP0f7KmjGDYiipk")
        let token = BunnyToken(
            path: "/abc/", expires: 1_795_219_200, parts: [("token_countries", "CA,US"), ("token_path", "/abc/")]
        ).text(.hmac, key: "SecurityKey")
        let got = try await resolve(
            BunnyProvider(), "abc", key: "SecurityKey",
            [
                "endpoint": "https://token-tester.b-cdn.net", "path": "/{id}/video.m3u8", "kind": "hls",
                "countries": "CA,US",
            ])
        #expect(
            got.url == """
                https://token-tester.b-cdn.net/bcdn_token=\(token)&token_countries=CA%2CUS&token_path=%2Fabc%2F\
                &expires=1795219200/abc/video.m3u8
                """)
        #expect(got.tokens == [])
    }

    // MARK: - Akamai: akamai-edgeauth 0.3.2

    private func edge(_ key: String = "52a152a152a152a152a152a152a1", _ set: (inout EdgeToken) -> Void) throws -> String
    {
        var token = EdgeToken(expires: 1_795_219_200)
        set(&token)
        return token.text(.sha256, key: try EdgeToken.key(key))
    }

    @Test("tokens of a folder and of one address")
    func akamai() throws {
        #expect(
            try edge { $0.acl = "/optics/waves/*" } == """
                exp=1795219200~acl=/optics/waves/*~hmac=9b664d9d148c7443028c26bda89f13f17237bcdf3afad39e9c40b30bb116\
                68bb
                """)
        #expect(
            try edge { ($0.url, $0.isEscaped) = ("/optics/a%20b.mp4", true) } == """
                exp=1795219200~hmac=1eebc23e0a1e38f8c35a7913290c9b92a4f1184f240e28ecf6ea6e973fd24fed
                """)
        #expect(
            try edge { $0.url = "/optics/a%20b.mp4" } == """
                exp=1795219200~hmac=94482aa085a8a6ac1d332c95f20a73a04b281631b46a59427e247a0f9e675cb0
                """)
    }

    @Test("all fields in their order, and the other hashes")
    func akamaiFields() throws {
        var token = EdgeToken(expires: 1_795_219_200)
        token.acl = "/*"
        let key = try EdgeToken.key("52a152a152a152a152a152a152a1")
        #expect(token.text(.md5, key: key) == "exp=1795219200~acl=/*~hmac=5eaa502951fcf372f051a89b3eb7fa92")
        (token.ip, token.start, token.acl) = ("192.0.2.7", 1_795_215_600, "/optics/a%20b.mp4")
        (token.sessionID, token.payload, token.isEscaped) = ("anna.1", "k=v", true)
        #expect(
            token.text(.sha1, key: key) == """
                ip=192.0.2.7~st=1795215600~exp=1795219200~acl=/optics/a%20b.mp4~id=anna.1~data=k%3dv~hmac=24052695c8\
                dedc72bd8c5b03c47a41b21c24aff7
                """)
        for wrong in ["", "abc", "xy", "52 a1"] {
            #expect(throws: ProviderError.self) { try EdgeToken.key(wrong) }
        }
    }

    // MARK: - Mux and Cloudflare Stream: PyJWT 2.15.1

    @Test("a playback id of Mux, with the key in both forms")
    func mux() async throws {
        for key in [Self.pem, Data(Self.pem.utf8).base64EncodedString()] {
            let got = try await resolve(
                MuxProvider(), "qIJBqaJPkhNXiHbed8j2jyx02tQQWBI5fL6WkIQYL63w", key: key,
                ["endpoint": "https://stream.mux.com", "key_id": "signing-key"])
            #expect(
                got.tokens.first?.value == """
                    eyJhbGciOiJSUzI1NiIsImtpZCI6InNpZ25pbmcta2V5IiwidHlwIjoiSldUIn0.eyJhdWQiOiJ2IiwiZXhwIjoxNzk1MjE5\
                    MjAwLCJzdWIiOiJxSUpCcWFKUGtoTlhpSGJlZDhqMmp5eDAydFFRV0JJNWZMNldrSVFZTDYzdyJ9.G4mIXzQGFy5sxqCXFQO\
                    DsaFhotAqGC7nDd9TAMXZ9YHqEt3PrIp0bk8Lr68zo2PB9jJVZwnSQ8RbInSnA3t50NMKtRVSj4JZ86erYNuyBrzEs75_JJR\
                    ZllMmJrOdxIxmB_2E3fXD3IXriFe0r1AZMmBl1ZX6WrX_cNcv9aGMowwWmT9d3pY3MVnS85aSFirnOK9ezQrZIhyy0J-lfPr\
                    cwdtBoPTIPnbaDJSPqOLywR37pMMVyxKFCf_Q3-I-dSEKkxg_WB9ioVLzObEQxKShsKObwRMU6xsikhTSBDf4uPbUpzc3b44\
                    Eb9506_xHN6123uXjLxE-cSaoM5ysDj5S2w
                    """)
        }
    }

    @Test("a stream and a download of Cloudflare")
    func cloudflareStream() async throws {
        let id = "ea95132c15732412d22c1476fa83f27a"
        let parameters: [String: JSONValue] = [
            "endpoint": "https://customer-code.cloudflarestream.com", "key_id": "8f926b2b01f383510025a78a4dcbf6a",
        ]
        let stream = try await resolve(CloudflareStreamProvider(), id, key: Self.pem, parameters)
        #expect(
            stream.url == """
                https://customer-code.cloudflarestream.com/\
                eyJhbGciOiJSUzI1NiIsImtpZCI6IjhmOTI2YjJiMDFmMzgzNTEwMDI1YTc4YTRkY2JmNmEifQ.eyJleHAiOjE3OTUyMTkyMDAsI\
                mtpZCI6IjhmOTI2YjJiMDFmMzgzNTEwMDI1YTc4YTRkY2JmNmEiLCJzdWIiOiJlYTk1MTMyYzE1NzMyNDEyZDIyYzE0NzZmYTgzZ\
                jI3YSJ9.BfKnJDg_Xq7kJvPp0M0hrGHl9Rkdrzj9WkEfa1iyJLHMJB8HnMbDtXrf1Lb_0uLq7Fy4MI81b7cnbPNwI0hB0BsFLaRe\
                vTyKVBJvECs3vIaFILIqmPsd6c9zZj3I1vbYN9II2WoEoF70ahUEaTLtfPtqOsvhRx33yISb4AjvoEf0H4EtXomUAaHjXFv9DK4j\
                Q4rTxNJ3OOCNDNWTVSnFX8KvoEYGaIIPIcmWPqJbztALVw9aujpeVN4ITdMUpH--HSaC3iCFatIHKz4q2njcuHEirTc9fRheDg3H\
                3RaKj6-mkIo4d1AQd2lVxp2CRuOcCX2ie38bnMX9TSMxKEoOfg\
                /manifest/video.m3u8
                """)
        let download = try await resolve(
            CloudflareStreamProvider(), id, key: Self.pem, parameters.merging(["download": "default.mp4"]) { $1 })
        #expect(
            download.url == """
                https://customer-code.cloudflarestream.com/\
                eyJhbGciOiJSUzI1NiIsImtpZCI6IjhmOTI2YjJiMDFmMzgzNTEwMDI1YTc4YTRkY2JmNmEifQ.eyJkb3dubG9hZGFibGUiOnRyd\
                WUsImV4cCI6MTc5NTIxOTIwMCwia2lkIjoiOGY5MjZiMmIwMWYzODM1MTAwMjVhNzhhNGRjYmY2YSIsInN1YiI6ImVhOTUxMzJjM\
                TU3MzI0MTJkMjJjMTQ3NmZhODNmMjdhIn0.pwPMJQowdSqdCW62XEGeEikvqVNM784GZRe_VpirUMNGiCvTW4XSGlV5X6M_3zyen\
                uX8029a9BtkO-kiiKV0YLOKY7rCFoErFhGzCQAYBW96cgItYYtrBdRAItEV5lsDx_-ZDfMvpus3wbF2bs27kld6x1tH4KvscXSfG\
                DVZ7vGYc2zH7QXomjUQLWJbn05P2FkcevJBvVE4sCo_RFkgbKbNH6ZtfBOI5dmY_qhSkDBUiM0R6Rz6aXFeeRHzdN5z6X3730KFx\
                QU8GCAPENziwZoMvDhA9FdwcC_Tk2fSsZDfcg-x79pi_6t4IVl-9ifcdRwKE6EeuENbGgCE8CNJDA\
                /downloads/default.mp4
                """)
    }
}
