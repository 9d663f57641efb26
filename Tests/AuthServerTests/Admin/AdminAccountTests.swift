import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("REST: users and accounts")
struct AdminAccountTests {
    @Test("getUser lists the accounts of a user, oldest first, whatever the user is called", arguments: ["alice", "Zoë/Müller?#&=%", "a b+c"])
    func listsAccounts(user: String) async throws {
        let premises = try await PagesFixture()
        let first = try await premises.addAccount(userID: user, device: "Old phone")
        premises.clock.advance(10)
        let second = try await premises.addAccount(userID: user, device: "New phone")
        try await premises.addAccount(userID: "somebody else")
        let path = user.utf8.map { byte in
            let hex = String(byte, radix: 16, uppercase: true)
            return "%" + (hex.count == 1 ? "0" : "") + hex
        }.joined()
        try await premises.asBackend { (backend) async throws in
            let (status, answer) = try await backend.json(.get, backend.path("/users/\(path)/accounts"), nonce: nil)
            #expect(status == 200)
            #expect(answer.objects("accounts").map { $0.text("id") } == [first.id.text, second.id.text])
            #expect(answer.objects("accounts").map { $0.text("description") } == ["Old phone", "New phone"])
            #expect(answer.objects("accounts").allSatisfy { $0.text("userid") == user })
            let (_, part) = try await backend.json(.get, backend.path("/users/\(path)/accounts?marker=1&limit=1"))
            #expect(part.objects("accounts").map { $0.text("id") } == [second.id.text])
            #expect(part.number("totalnumber") == 2)
        }
    }

    @Test("A user without accounts is 404, one that cannot be is 400")
    func unknownUser() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.json(.get, backend.path("/users/nobody/accounts")).status == 404)
            #expect(try await backend.json(.get, backend.path("/users/%FF%FE/accounts")).status == 400)
            #expect(try await backend.json(.get, backend.path("/users/%00/accounts")).status == 400)
        }
    }

    @Test("An account tells its device and keeps its keys to itself")
    func tellsAccount() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount(state: .pending)
        try await premises.asBackend { (backend) async throws in
            let response = try await backend.send(.get, backend.path("/accounts/\(account.id.text)/"))
            let answer = JSONObject(response.body)
            #expect(answer.text("description") == "Pixel 9")
            #expect(answer.text("state") == "pending")
            #expect(answer.bool("blocked") == false)
            #expect(answer.number("created") == Int(account.createdAt.seconds))
            #expect(try !String(buffer: response.body).contains(Base64URL.encode(account.otpKey.bytes())))
        }
    }

    @Test("Blocking ends the account's session before it answers; unblocking does not bring it back")
    func blocks() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            try await premises.logIn(account)
            let path = backend.path("/accounts/\(account.id.text)/")
            let (status, blocked) = try await backend.json(.put, path, body: #"{"blocked":true}"#)
            #expect(status == 200)
            #expect(blocked.bool("blocked") == true)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == false)
            #expect(try await backend.json(.put, path, body: #"{"blocked":false}"#).object.bool("blocked") == false)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == false)
        }
    }

    @Test("updateAccount takes true or false", arguments: ["{}", #"{"blocked":"yes"}"#, #"{"blocked":1}"#, #"{"blocked":null}"#, "[]", "", "{"])
    func refusesUpdate(body: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.json(.put, backend.path("/accounts/\(account.id.text)/"), body: body).status == 400)
        }
    }

    @Test("A deleted account is gone, and so is its session")
    func deletes() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            try await premises.logIn(account)
            let path = backend.path("/accounts/\(account.id.text)/")
            #expect(try await backend.send(.delete, path).status == .ok)
            #expect(try await backend.json(.get, path).object.text("error") == "account_unknown")
            #expect(try await backend.send(.delete, path).status == .notFound)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == false)
        }
    }

    @Test("An account of another server, or none at all, is 404", arguments: ["", "/secondfactor/reset"])
    func unknownAccount(rest: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            for path in [
                "/servers/AAAAAAAAAAAAAAAAAAAAAA/accounts/\(account.id.text)", backend.path("/accounts/AAAAAAAAAAAAAAAAAAAAAA"),
                backend.path("/accounts/x"),
            ] {
                let response = try await backend.send(rest.isEmpty ? .get : .post, path + (rest.isEmpty ? "/" : rest))
                #expect(response.status == .notFound, "\(path)")
            }
        }
    }

    @Test("A reset that cannot reach the second-factor server is 503 and says when to ask again")
    func resetsLater() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            let response = try await backend.send(.post, backend.path("/accounts/\(account.id.text)/secondfactor/reset"))
            #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "30")
            #expect(JSONObject(response.body).text("error") == "second_factor_unavailable")
        }
    }
}
