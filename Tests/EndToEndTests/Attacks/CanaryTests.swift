import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Attack 14 of the threat model as far as it goes without tokens: what must be nowhere is looked for everywhere.
@Suite("Secrets at rest and in logs", .serialized)
struct CanaryTests {
    @Test("Attack 14: no nonce, PIN, webNonce or API key in logs, databases, phone or output; no name of a person at the second-factor server")
    func nowhere() async throws {
        let pair = try await ProcessesFixture.running(["OSTIARY_LOG_LEVEL": "trace"], secondFactor: ["OSTIARY_LOG_LEVEL": "trace"])
        let pin = "274916380527"
        let person = Person(try await pair.backend(), pair.phone(), user: "wilhelmina", pin: pin)
        let (enrolled, nonce) = try await person.enrol(in: pair.folder)
        let login = try await person.logIn(pins: ["835062917463", pin], in: pair.folder)
        let app = try await person.phone.run(["app-login"], pins: [pin])
        let webNonce = try #require(app.last?["webNonce"]?.string)
        #expect(enrolled.code == 0 && login.outcome.code == 0)
        #expect(try await person.backend.session(webNonce).loggedin)

        // What is refused is written down, and what it brought along is not.
        let (wrongKey, badNonce) = ("wr0ng-key-" + ManagementClient.newNonce(), "b@d nonce " + ManagementClient.newNonce())
        let stranger = ManagementClient(origin: pair.layout.adminURL, apiKey: wrongKey)
        for _ in 0..<300 { _ = try? await stranger.call("GET", "/servers/", nonce: login.nonce) }
        let sessions = "/servers/\(person.backend.serverID)/sessions/"
        _ = try? await person.backend.client.call("GET", sessions, nonce: badNonce)
        _ = try? await person.backend.client.call("GET", sessions + "?nonce=\(login.nonce)", nonce: login.nonce)
        _ = try? await person.backend.client.call("POST", sessions + "page", nonce: login.nonce, json: ["kind": "login", "pin": pin])

        // An offline code, typed for a login that waits.
        let (typed, waiting) = ("7QK2XP M4R9ZT", ManagementClient.newNonce())
        let flags = Data(#"{"serverFlags":["ENABLE_OTP"]}"#.utf8)
        _ = try await person.backend.client.send("PUT", "/servers/\(person.backend.serverID)/", nonce: nil, body: flags)
        _ = try await person.backend.client.call("GET", sessions + "qr/login", nonce: waiting)
        _ = try? await person.backend.client.call("POST", sessions + "otp", nonce: waiting, json: ["otp": typed])

        let secrets = [
            nonce, login.nonce, webNonce, pin, "835062917463", pair.layout.rootAPIKey, wrongKey, badNonce, waiting, typed, "M4R9ZT",
        ]
        try expectNone(of: secrets, in: pair.layout.authenticationData, pair.layout.secondFactorData, URL(fileURLWithPath: person.phone.home))
        try await pair.stop()
        try expectNone(of: secrets, in: pair.layout.authenticationData, pair.layout.secondFactorData, URL(fileURLWithPath: person.phone.home))
        for secret in secrets {
            #expect(!pair.authentication.everythingWritten.contains(secret))
            #expect(!pair.secondFactor.everythingWritten.contains(secret))
        }
        let log = pair.authentication.everythingWritten
        for line in ["loginAccepted", "accountEnrolled", "accountActivated", "request refused"] { #expect(log.contains(line), "\(line)") }
        #expect(log.split(separator: "\n").filter { $0.contains("request refused") && $0.contains("status=401") }.count == 1)
        #expect(!log.contains("hb.request.id") && log.contains("requestId="))
        try expectNone(of: ["wilhelmina", "Wilhelmina"], in: pair.layout.secondFactorData)
        #expect(!pair.secondFactor.everythingWritten.lowercased().contains("wilhelmina"))
        #expect(pair.authentication.everythingWritten.count > 1_000, "a log that says nothing proves nothing")
    }

    @Test("A return code is in no log, no database and no phone, as text or as bytes, before it is handed in and after")
    func returnCode() async throws {
        let pair = try await ProcessesFixture.running(["OSTIARY_LOG_LEVEL": "trace"], secondFactor: ["OSTIARY_LOG_LEVEL": "trace"])
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let nonce = ManagementClient.newNonce()
        let page = try await person.backend.page(nonce, ["kind": "login", "returnurl": "https://shop.example/"])
        let login = try person.phone.start(["login", try #require(try await DemoBrowser(opening: page).shown().link)], pins: [person.pin])
        let address = try #require(try await login.event("sessionUpdate")["returnURL"]?.string)
        let code = try #require(address.split(separator: "=").last.map(String.init))
        let bytes = try #require(Base64URL.decode(code))
        let folders = [pair.layout.authenticationData, pair.layout.secondFactorData, URL(fileURLWithPath: person.phone.home)]
        for folder in folders { try expectNone(of: [Data(code.utf8), Data(bytes)], in: folder) }
        #expect(try await person.backend.handIn(nonce, code: code))
        #expect(try await login.end() == 0)
        try await pair.stop()
        for folder in folders { try expectNone(of: [Data(code.utf8), Data(bytes)], in: folder) }
        for server in [pair.authentication, pair.secondFactor] { #expect(!server.everythingWritten.contains(code)) }
    }

    private func expectNone(of secrets: [String], in folders: URL...) throws {
        for folder in folders { try expectNone(of: secrets.map { Data($0.utf8) }, in: folder) }
    }

    /// Looks at the raw bytes of every file, write-ahead logs included.
    private func expectNone(of secrets: [Data], in folder: URL) throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appendingPathComponent($0) }
        #expect(!files.isEmpty)
        for file in files {
            guard let content = try? Data(contentsOf: file) else { continue }
            for secret in secrets {
                #expect(content.range(of: secret) == nil, "\(String(decoding: secret, as: UTF8.self)) in \(file.lastPathComponent)")
            }
        }
    }
}
