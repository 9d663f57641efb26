import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import QRReading
import Testing

@testable import AuthServer

@Suite("REST: enrolments")
struct AdminEnrolmentTests {
    private static let wrong = ["0000", "1111", "2222", "3333", "4444"]

    @Test("getQrEnrol gives a link that pins the server's identity and leads to it, as bytes and as a picture")
    func drawsCode() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let raw = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice%20Jones&userid=alice"))
            let link = try EnrolLink(decoding: Array(buffer: raw.body))
            #expect(link.rootHash == premises.keyring.keys.root.hash)
            #expect(link.url == "https://login.example")
            let picture = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice&img=png"))
            let found = try #require(try QRReader.read(Array(buffer: picture.body)).first)
            #expect(try EnrolLink(decoding: found).rootHash == link.rootHash)
            let text = String(buffer: try await backend.send(.get, backend.path("/sessions/link/enrol?name=Alice")).body)
            guard case .enrol(let opened) = try Link(text: text) else { throw WireError.badType }
            #expect(opened.rootHash == link.rootHash)
        }
    }

    @Test(
        "A name that is missing or may not travel to a phone is 400 and names the field",
        arguments: [
            ("", "name"), ("name=", "name"), ("name=a%0Ab", "name"), ("name=a%E2%80%AEb", "name"), ("name=%FF", "name"), ("name=A&name=B", "name"),
            ("name=A&userid=", "userid"), ("name=A&userid=%00", "userid"),
            ("name=%20", "name"), ("name=%E2%80%8B", "name"), ("name=A&userid=%C2%A0", "userid"),
            ("name=" + String(repeating: "a", count: 256), "name"),
        ])
    func refusesNames(query: String, field: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for call in ["qr", "link"] {
                let (status, answer) = try await backend.json(.get, backend.path("/sessions/\(call)/enrol?\(query)"))
                #expect(status == 400)
                #expect(answer.text("message")?.hasPrefix("\(field) ") == true, "\(answer.text("message") ?? "")")
            }
        }
    }

    @Test("The right code makes the account active and logs its user in on the nonce", arguments: ["as shown", "small", "spaced"])
    func confirms(spelling: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice&userid=alice"))
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == false)
            let typed = spelling == "small" ? code.lowercased() : spelling == "spaced" ? "\(code.prefix(2)) - \(code.suffix(2))" : code
            let (status, answer) = try await backend.json(.post, backend.path("/sessions/enrol/confirm"), body: #"{"code":"\#(typed)"}"#)
            #expect(status == 200)
            #expect(answer.bool("confirmed") == true)
            let (_, session) = try await backend.json(.get, backend.path("/sessions/"))
            #expect(session.bool("loggedin") == true)
            #expect(session.text("accountid") == claim.account.text)
            #expect(session.text("binding") == "enrolment")
        }
    }

    @Test("Three wrong codes remove the account, and the right one comes too late")
    func countsWrongCodes() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice&userid=alice"))
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            let wrong = Self.wrong.filter { $0 != code }.prefix(3)
            for (typed, left) in zip(wrong, [2, 1, 0]) {
                let (status, answer) = try await backend.json(.post, backend.path("/sessions/enrol/confirm"), body: #"{"code":"\#(typed)"}"#)
                #expect(status == 403)
                #expect(answer.text("error") == "wrong_code")
                #expect(answer.number("left") == left)
                #expect(answer.text("requestId") != nil)
            }
            let (status, _) = try await backend.json(.post, backend.path("/sessions/enrol/confirm"), body: #"{"code":"\#(code)"}"#)
            #expect(status == 404)
            #expect(try await backend.json(.get, backend.path("/accounts/\(claim.account.text)/")).status == 404)
        }
    }

    @Test("The code of an account that was blocked is 409 and logs nobody in, before and after it is blocked once more")
    func refusesBlocked() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice&userid=alice"))
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            for _ in 0..<2 {
                let (blocked, _) = try await backend.json(.put, backend.path("/accounts/\(claim.account.text)/"), body: #"{"blocked":true}"#)
                #expect(blocked == 200)
                let (status, answer) = try await backend.json(.post, backend.path("/sessions/enrol/confirm"), body: #"{"code":"\#(code)"}"#)
                #expect(status == 409 && answer.text("error") == "account_blocked")
                #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == false)
            }
            #expect(try await backend.json(.get, backend.path("/accounts/\(claim.account.text)/")).object.text("state") == "pending")
        }
    }

    @Test("What can be no code is 400 and costs no try", arguments: ["", "K7Q", "K7Q33", "K7QU", "K7Q!", "ЖЖЖЖ", "K7Q3K7Q3K7Q3"])
    func doesNotCountNonsense(typed: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice"))
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            for _ in 0..<4 {
                let (status, _) = try await backend.json(.post, backend.path("/sessions/enrol/confirm"), body: #"{"code":"\#(typed)"}"#)
                #expect(status == 400)
            }
            let (status, _) = try await backend.json(.post, backend.path("/sessions/enrol/confirm"), body: #"{"code":"\#(code)"}"#)
            #expect(status == 200)
        }
    }

    @Test("A code without a phone that waits for one is 404, after ten minutes 410")
    func refusesEarlyAndLate() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let confirm = backend.path("/sessions/enrol/confirm")
            #expect(try await backend.json(.post, confirm, body: #"{"code":"K7Q3"}"#).status == 404)
            _ = try await backend.send(.get, backend.path("/sessions/qr/enrol?name=Alice"))
            #expect(try await backend.json(.post, confirm, body: #"{"code":"K7Q3"}"#).status == 404)
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            premises.clock.advance(601)
            #expect(try await backend.json(.post, confirm, body: #"{"code":"\#(code)"}"#).status == 410)
        }
    }
}
