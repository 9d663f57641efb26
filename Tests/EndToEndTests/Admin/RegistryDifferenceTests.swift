import ArgumentParser
import OstiaryTokens
import Testing

@testable import ostiary

@Suite("ostiary admin")
struct RegistryDifferenceTests {
    private func outcome(_ json: String) throws -> RegistryDifference { RegistryDifference(try JSONReader.object(Array(json.utf8))) }

    @Test("A difference has a line for each thing and each member, as it was and as it is; a secret is told once, and a dry run says that it was one")
    func difference() throws {
        let json = """
            {"changes":[{"kind":"role","name":"Old one","change":"removed"},
             {"kind":"api","name":"urn:a","change":"changed","members":[{"member":"token_lifetime","before":86400,"after":60},
              {"member":"scopes","before":{"read":"read: all"},"after":{}}]},
             {"kind":"application","name":"n","change":"created","members":[{"member":"redirect_uris","after":["https://a.example/"]}]}],
             "secrets":{"n":"s3cret"}}
            """
        let lines = [
            "- role Old one", "~ api urn:a", "    token_lifetime: 86400 -> 60", "    scopes: {read: 'read: all'} -> {}", "+ application n",
            "    redirect_uris: ['https://a.example/']", "client_secret of n, told this once: s3cret",
        ]
        let (done, tried) = (try outcome(json).lines(isTrial: false), try outcome(json).lines(isTrial: true))
        #expect(done == lines)
        #expect(tried == lines + ["nothing was changed: this was a dry run"])
        #expect(try outcome(#"{"changes":[]}"#).lines(isTrial: false) == ["nothing to change"])
    }

    @Test(
        "A name travels in an address as one part, whatever is in it",
        arguments: [
            ("https://api.example/a b", "https%3A%2F%2Fapi.example%2Fa%20b"), ("..", ".."), ("é?#%", "%C3%A9%3F%23%25"), ("a-b_c.d~e", "a-b_c.d~e"),
        ])
    func addresses(part: String, encoded: String) {
        #expect(AdminCalls.encoded(part) == encoded)
    }

    @Test("Every kind has list, show, put and delete, applications have secrets, and each takes --json and --server")
    func commands() throws {
        for line in [
            "admin applications list --json", "admin apis show urn:a", "admin roles put Clerk role.yaml", "admin users delete alice",
            "admin applications secret shop --overlap 60", "admin apply provider.yaml --dry-run --prune --url http://127.0.0.1:8081",
            "admin keys rotate --end-refresh-tokens", "admin keys list --api-key-file key --server r8CT7p0neoAwpRm2CRS9gA",
        ] {
            #expect(throws: Never.self, "\(line)") { try OstiaryCommand.parseAsRoot(line.split(separator: " ").map(String.init)) }
        }
        #expect(throws: (any Error).self) { try OstiaryCommand.parseAsRoot(["admin", "applications", "secret", "shop", "--overlap", "2592001"]) }
    }
}
