import Foundation
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OstiaryPhone

/// The operator's commands beside a running server.
@Suite("ostiary admin", .serialized)
struct AdminCommandTests {
    private static let file = """
        apis:
          https://api.example/things:
            name: Things
            scopes:
              read: read what you have   # shown on the phone
        applications:
          shop:
            kind: web
            client_name: Shop
            redirect_uris: [https://shop.example/cb]
            apis:
              https://api.example/things: [read]
        """

    /// A run of `ostiary admin` against a pair of servers.
    private func admin(_ pair: ProcessesFixture, _ line: [String]) async throws -> (code: Int32, program: Program) {
        let program = try Program(
            ["admin"] + line + ["--url", pair.layout.adminURL], environment: ["OSTIARY_ROOT_API_KEY": pair.layout.rootAPIKey])
        return (try await program.end(), program)
    }

    /// Without a key that it could ask with, it names the options that say where one is.
    private func expectKeyAdvice(_ pair: ProcessesFixture) async throws {
        let keyless = try Program(["admin", "apis", "list", "--data", pair.folder.file("no-data"), "--url", pair.layout.adminURL])
        #expect(try await keyless.end() == 1)
        let told = keyless.complaints
        #expect(told.contains("no-data/root-api-key") && told.contains("--data names") && told.contains("--api-key-file"), "\(told)")
    }

    @Test("S3-50 a file is tried, applied, shown and applied again: the difference is told each time, a secret once, and then there is a provider")
    func applies() async throws {
        let pair = try await ProcessesFixture.running()
        let path = pair.folder.file("provider.yaml")
        try Self.file.write(toFile: path, atomically: true, encoding: .utf8)
        let discovery = pair.layout.publicURL + "/.well-known/openid-configuration"
        #expect(try await pair.answer(discovery).status == 404)

        let tried = try await admin(pair, ["apply", path, "--dry-run"])
        #expect(tried.code == 0 && tried.program.lines.contains("+ application shop"), "\(tried.program.output) \(tried.program.complaints)")
        #expect(tried.program.lines.last == "nothing was changed: this was a dry run" && !tried.program.output.contains("client_secret of"))
        #expect(try await admin(pair, ["applications", "list"]).program.output.isEmpty)

        let applied = try await admin(pair, ["apply", path])
        let told = try #require(applied.program.lines.last)
        #expect(applied.code == 0 && told.hasPrefix("client_secret of shop, told this once: "))
        let secret = try #require(told.split(separator: " ").last)
        #expect(secret.utf8.count == 43)
        #expect(try await admin(pair, ["apply", path]).program.lines == ["nothing to change"])
        try await eventually("it is a provider") { try await pair.answer(discovery).status == 200 }

        // What is shown is what put reads, and says nothing new.
        let shown = try await admin(pair, ["applications", "show", "shop"])
        #expect(shown.program.lines.contains("client_name: Shop") && !shown.program.output.contains(secret))
        let one = pair.folder.file("shop.yaml")
        try shown.program.output.write(toFile: one, atomically: true, encoding: .utf8)
        #expect(try await admin(pair, ["applications", "put", "shop", one]).program.lines == ["application saved"])
        #expect(try await admin(pair, ["applications", "list"]).program.lines == ["shop  web  Shop"])
        #expect(try await admin(pair, ["applications", "secret", "shop"]).program.lines.first?.utf8.count == 43)
        #expect(try await admin(pair, ["apis", "delete", "https://api.example/things"]).code == 0)
        let left = try await admin(pair, ["applications", "show", "shop", "--json"])
        #expect(try JSONReader.object(Array(left.program.output.utf8.dropLast()))["apis"] == .object(JSONObject()))
        // Neither a line of the log nor of the audit trail has it.
        try await eventually("the audit trail has what was saved") { pair.authentication.complaints.contains("applicationSaved") }
        #expect(!pair.authentication.everythingWritten.contains(secret))
        try await pair.stop()
    }

    @Test("An operator lets clients register with a token that the command prints, and sees who did; then there is a provider")
    func registration() async throws {
        let pair = try await ProcessesFixture.running()
        let path = pair.folder.file("registration.yaml")
        try "mode: token\nunused_days: 7\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await admin(pair, ["registration", "show"]).program.lines.first == "mode: closed")
        let put = try await admin(pair, ["registration", "put", path])
        #expect(put.program.lines == ["registration saved"], "\(put.program.complaints)")
        let token = try #require(try await admin(pair, ["registration", "token", "--uses", "2"]).program.lines.first)
        #expect(token.utf8.count == 43)
        let discovery = pair.layout.publicURL + "/.well-known/openid-configuration"
        try await eventually("it is a provider") { try await pair.answer(discovery).status == 200 }
        let shown = try await admin(pair, ["registration", "show"])
        #expect(shown.program.lines.contains("unused_days: 7") && shown.program.lines.contains("tokens: 1"))
        // What is shown is what put reads.
        try shown.program.output.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await admin(pair, ["registration", "put", path]).program.lines == ["registration saved"])
        #expect(try await admin(pair, ["registration", "end-tokens"]).code == 0)
        #expect(try await admin(pair, ["registration", "show"]).program.lines.contains("tokens: 0"))
        #expect(!pair.authentication.everythingWritten.contains(token))
    }

    @Test("Grants and consents are asked for by whose they are; of somebody who is not there the server's answer is told")
    func grants() async throws {
        let pair = try await ProcessesFixture.running()
        let path = pair.folder.file("provider.yaml")
        try Self.file.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await admin(pair, ["apply", path]).code == 0)
        let none = try await admin(pair, ["grants", "list", "--client", "shop"])
        #expect(none.code == 0 && none.program.output.isEmpty, "\(none.program.complaints)")
        #expect(try await admin(pair, ["grants", "end-all", "--client", "shop"]).program.lines == ["grants ended: 0"])
        let nobody = try await admin(pair, ["consents", "withdraw", "--user", "alice", "--client", "a&b"])
        #expect(nobody.code == 1 && nobody.program.complaintLines == ["ostiary admin consents withdraw: this server has no such user"])
        let over = try await admin(pair, ["grants", "end", "AAAAAAAAAAAAAAAAAAAAAA"])
        #expect(over.code == 1 && over.program.complaintLines == ["ostiary admin grants end: there is no such grant, or it is over"])
        #expect(try await admin(pair, ["grants", "end-all"]).code == 64)
        #expect(try await admin(pair, ["consents", "withdraw", "--client", "shop"]).code == 64)
        try await pair.stop()
    }

    @Test("Accounts are listed by their user, shown, blocked and let in again; one is removed where somebody says yes, and else stays")
    func accounts() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let nobody = try await admin(pair, ["accounts", "list", "--user", "bob"])
        #expect(nobody.code == 1 && nobody.program.complaintLines == ["ostiary admin accounts list: this server has no such user"])
        let line = try #require(try await admin(pair, ["accounts", "list", "--user", "alice"]).program.lines.first)
        let columns = line.components(separatedBy: "  ")
        #expect(columns.count == 6 && columns[1] == "active" && columns[2] == "Alice", "\(line)")
        let id = try #require(columns.first)
        let told = try await admin(pair, ["accounts", "list", "--user", "alice", "--json"]).program.output
        let all = try JSONReader.object(Array(told.utf8.dropLast()))
        #expect(all["totalnumber"] == .integer(1) && all["accounts"]?.array?.first?.object?["id"] == .string(id))

        #expect(try await admin(pair, ["accounts", "block", id]).program.lines == ["account blocked"])
        #expect(try await admin(pair, ["accounts", "show", id]).program.lines.contains("blocked: true"))
        #expect(try await admin(pair, ["accounts", "list", "--user", "alice"]).program.output.contains("  blocked  "))
        #expect(try await person.logIn(in: pair.folder).outcome.code != 0)
        #expect(try await admin(pair, ["accounts", "unblock", id]).program.lines == ["account unblocked"])
        #expect(try await admin(pair, ["accounts", "reset-second-factor", id]).code == 0)
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)

        for (answer, words) in [("n\n", "nothing was removed"), ("", "nothing was removed"), ("yes\n", "")] {
            let program = try Program(
                ["admin", "accounts", "delete", id, "--url", pair.layout.adminURL], environment: ["OSTIARY_ROOT_API_KEY": pair.layout.rootAPIKey])
            if !answer.isEmpty { try program.type(answer) }
            program.closeInput()
            #expect(try await program.end() == (words.isEmpty ? 0 : 1), "\(answer)")
            #expect(program.complaints.contains("alice") && program.complaints.contains("? [y/N] "))
            #expect(words.isEmpty || program.complaints.contains(words))
            #expect(program.lines == (words.isEmpty ? ["account removed"] : []))
        }
        let gone = try await admin(pair, ["accounts", "delete", id, "--yes"])
        #expect(gone.code == 1 && gone.program.complaintLines == ["ostiary admin accounts delete: this server has no such account"])
        try await pair.stop()
    }

    @Test("What is wrong is a line with its place, with --json the answer of the server, and ends with 1; so does a server that is not there")
    func refuses() async throws {
        let pair = try await ProcessesFixture.running()
        let path = pair.folder.file("provider.yaml")
        try Self.file.replacing("redirect_uris", with: "redirect_urls").write(toFile: path, atomically: true, encoding: .utf8)
        let misspelt = try await admin(pair, ["apply", path])
        let sentence = "this call has no applications.shop.redirect_urls: did you mean redirect_uris?"
        #expect(misspelt.code == 1 && misspelt.program.complaintLines == ["ostiary admin apply: \(sentence)"], "\(misspelt.program.complaints)")
        let json = try await admin(pair, ["apply", path, "--json"])
        let answer = try JSONReader.object(Array(json.program.output.utf8.dropLast()))
        #expect(json.code == 1 && answer["error"]?.string == "unknown_field" && answer["field"]?.string == "applications.shop.redirect_urls")
        try "apis:\n  a: b\n  a: c\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await admin(pair, ["apply", path]).program.complaints.contains("\(path): line 2: is there twice: a"))
        let unknown = try await admin(pair, ["roles", "show", "None"])
        #expect(unknown.program.complaintLines == ["ostiary admin roles show: this server has no such role"])
        #expect(try await admin(pair, ["apis", "list", "--api-key-file", pair.folder.file("none")]).code == 1)
        try await expectKeyAdvice(pair)
        try await pair.stop()
        let alone = try await admin(pair, ["apis", "list"])
        #expect(alone.code == 1 && alone.program.complaints.contains("nobody answers at \(pair.layout.adminURL)"))
        let plain = try Program(
            ["admin", "apis", "list", "--url", "http://admin.example"], environment: ["OSTIARY_ROOT_API_KEY": pair.layout.rootAPIKey])
        #expect(try await plain.end() == 1 && plain.complaints.contains("use https"))
    }
}
