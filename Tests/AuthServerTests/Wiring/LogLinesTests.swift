import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("What an operator reads")
struct LogLinesTests {
    @Test("An enrolment, a login, a wrong PIN, a penalty and a refusal each leave one line, with request, server, account and factors")
    func phones() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let (server, account) = (servers.server.text, phone.account.text)
            for kind in ["accountEnrolled", "accountActivated"] {
                let line = try log.onlyLine(kind)
                #expect(line.facts["account"] == account && line.facts["server"] == server)
            }
            try await phone.logIn(try servers.nonce())
            let login = try log.onlyLine("loginAccepted")
            #expect(login.level == .info && login.facts["account"] == account && login.facts["server"] == server && login.facts["factors"] == "pin")
            #expect(login.facts["method"] == "POST" && login.facts["requestId"]?.isEmpty == false)

            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let before = log.lines("attempt").count
            for _ in 0..<3 { _ = try await phone.phone.evaluate(try shown.attempt()) }
            #expect(try await phone.phone.evaluate(try shown.attempt()).status == .penalised)
            let tries = log.lines("attempt").dropFirst(before)
            #expect(tries.map(\.facts["outcome"]) == ["evaluated", "evaluated", "evaluated", "penalised(wait: 30)"])
            #expect(tries.allSatisfy { $0.facts["context"] == "verify" && $0.facts["instance"] != nil && $0.facts["requestId"] != nil })
            let refused = try log.onlyLine("phone refused")
            #expect(refused.facts["status"] == "penalised" && refused.facts["type"] == "m1")
            #expect(refused.facts["account"] == account && refused.facts["server"] == server && refused.facts["requestId"] != nil)
            let unsigned = L1(appLoginOf: phone.account, clientInfo: "x").encoded
            _ = try await phone.phone.send(try phone.phone.seal(unsigned, try TestPhone.ephemeral()))
            let foreign = try #require(log.lines("phone refused").last)
            #expect(foreign.facts["type"] == "l1" && foreign.facts["account"] == account && foreign.facts["reason"] == "badSignature")
            let proofs = log.lines("proof")
            #expect(proofs.map(\.facts["context"]) == ["firstSet", "verify"] && proofs.allSatisfy { $0.facts["factors"] == "pin" })
        }
    }

    @Test("A login of a page is a line where the phone says yes, and one where its browser came back or did not; what was claimed only is one too")
    func pages() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let sessions = servers.services.sessions
            // With a try of the PIN, which claims; the rest of the login, too; and the browser as well.
            for steps in 1...3 {
                let text = Base64URL.encode(SystemRandomSource().bytes(16))
                let nonce = try SessionNonce(text)
                let page = SessionPage(cookieHash: SHA(Array(text.utf8)), returnURL: "https://shop.example/back")
                try await sessions.begin(page, as: .opened, for: nonce, at: servers.server, now: servers.now)
                let session = try #require(try await sessions.progress(of: nonce, at: servers.server, now: servers.now))
                let shown = try await phone.scan(try await sessions.link(to: session, .returning, at: servers.now), via: .link)
                guard steps > 1 else {
                    _ = try await phone.phone.evaluate(try shown.attempt())
                    continue
                }
                let code = Base64URL.encode(try #require(try await shown.logInByPIN().returnCode))
                guard steps > 2 else { continue }
                #expect(log.lines("loginReturned").isEmpty)
                try await handIn(code, of: text, at: servers, log)
            }
            #expect(log.lines("loginAccepted").count == 2 && log.lines("loginNotReturned").isEmpty && log.lines("loginAbandoned").isEmpty)
            servers.clock.advance(481)
            for _ in 0..<2 { try await servers.services.housekeeping.run(at: servers.now) }
            for kind in ["loginReturned", "loginNotReturned", "loginAbandoned"] {
                let line = try log.onlyLine(kind)
                #expect(line.level == .info, "\(kind)")
                #expect(line.facts["account"] == phone.account.text && line.facts["server"] == servers.server.text, "\(kind)")
            }
            #expect(log.lines("loginInOtherBrowser").isEmpty)
        }
    }

    /// A backend hands the code of a page in.
    private func handIn(_ code: String, of nonce: String, at servers: ServersFixture, _ log: LogRecorder) async throws {
        try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (client) async throws in
            let answer = try await client.execute(
                uri: "/servers/\(servers.server.text)/sessions/return", method: .post, headers: [.apiKey: ServersFixture.apiKey, .nonce: nonce],
                body: ByteBuffer(string: #"{"returncode":"\#(code)"}"#))
            #expect(answer.status == .ok)
            let line = try log.onlyLine("loginReturned")
            #expect(line.facts["factors"] == "pin" && line.facts["requestId"] == answer.headers[.requestID])
        }
    }

    @Test("A block and a reset by the backend are in the log under the request id that the answer had; 300 wrong keys are one line")
    func backends() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let account = "/servers/\(servers.server.text)/accounts/\(phone.account.text)"
            try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (client) async throws in
                let key: HTTPFields = [.apiKey: ServersFixture.apiKey]
                for (method, path, body, kinds) in [
                    (.put, account + "/", #"{"blocked":true}"#, ["accountBlocked"]),
                    (.put, account + "/", #"{"blocked":false}"#, ["accountUnblocked"]),
                    (.post, account + "/secondfactor/reset", "", ["secondFactorResetAsked", "secondFactorReset"]),
                ] as [(HTTPRequest.Method, String, String, [String])] {
                    let answer = try await client.execute(uri: path, method: method, headers: key, body: ByteBuffer(string: body))
                    #expect(answer.status == .ok)
                    for kind in kinds {
                        let line = try log.onlyLine(kind)
                        #expect(line.facts["requestId"] == answer.headers[.requestID], "\(kind)")
                        #expect(line.facts["account"] == phone.account.text && line.facts["method"] == method.rawValue, "\(kind)")
                    }
                }
                let gone = try await client.execute(uri: account + "x/", method: .get, headers: key)
                let refusal = try log.onlyLine("request refused")
                #expect(refusal.facts["requestId"] == gone.headers[.requestID])
                #expect(refusal.facts["error"] == "account_unknown" && refusal.facts["status"] == "404")
                #expect(refusal.facts["route"]?.contains("{accountid}") == true && refusal.facts["server"] == servers.server.text)

                for attempt in 0..<300 {
                    let wrong: HTTPFields = [.apiKey: "guess number \(attempt)"]
                    #expect(try await client.execute(uri: "/servers/", method: .get, headers: wrong).status == .unauthorized)
                }
                #expect(log.lines("request refused").filter { $0.facts["status"] == "401" }.count == 1)
                #expect(!log.text.contains("guess number"))
            }
        }
    }

    @Test("An offline code that is wrong is a refusal by that word, with the request of its answer, and without the code")
    func wrongOfflineCode() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            try await servers.switchOfflineCodesOn()
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = Base64URL.encode(SystemRandomSource().bytes(16))
            let code = try await servers.offlineCode(of: phone.account, for: try SessionNonce(nonce))
            let wrong = String(code.dropLast()) + (code.hasSuffix("0") ? "1" : "0")
            try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (client) async throws in
                let answer = try await client.execute(
                    uri: "/servers/\(servers.server.text)/sessions/otp", method: .post, headers: [.apiKey: ServersFixture.apiKey, .nonce: nonce],
                    body: ByteBuffer(string: #"{"otp":"\#(wrong)"}"#))
                #expect(answer.status == .forbidden)
                let line = try log.onlyLine("request refused")
                #expect(line.facts["error"] == "otp_wrong" && line.facts["status"] == "403")
                #expect(line.facts["requestId"] == answer.headers[.requestID] && line.facts["route"]?.hasSuffix("/sessions/otp") == true)
                #expect(!log.text.contains(wrong) && !log.text.contains(wrong.suffix(6)))
            }
        }
    }

    @Test("A refusal has the account that the phone named, whichever message it was")
    func namedAccounts() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let (phone, random) = (try await TestPhone(servers), SystemRandomSource())
            let (account, session, attempt) = (AccountID(using: random), SessionID(using: random), AttemptID(using: random))
            let decision = L5(
                sessionID: session, sessionHash: [UInt8](repeating: 0, count: 32), accountID: account, attemptID: attempt, decision: .decline,
                method: [], offer: nil)
            let change = M3(
                accountID: account, instanceID: phone.instance, attemptID: attempt, context: .pinChangeVerify, method: .pin, epoch: 1, payload: [])
            let messages: [[UInt8]] = [
                L1(appLoginOf: account, clientInfo: "x").encoded, decision.encoded,
                L7(sessionID: session, accountID: account, state: .gaveUp, offer: nil).encoded, W1(accountID: account, hold: 0).encoded,
                change.encoded, Delete(accountID: account, time: servers.now).encoded,
                Verification(accountID: account, uri: "https://login.example/device?user_code=BCDF-GHJK").encoded,
            ]
            for message in messages { _ = try await phone.send(message, try TestPhone.ephemeral()) }
            let refused = log.lines("phone refused")
            #expect(refused.map(\.facts["type"]) == ["l1", "l5", "l7", "w1", "m3", "delete", "verification"])
            for line in refused {
                #expect(line.facts["account"] == account.text && line.facts["server"] == servers.server.text, "\(line.facts)")
                #expect(line.facts["reason"] == "accountUnknown" && line.facts["requestId"] != nil, "\(line.facts)")
            }
        }
    }

    @Test("However often a backend asks what is refused, the log has a bounded number of lines for each word that it is told")
    func refusedBackend() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (client) async throws in
                let key: HTTPFields = [.apiKey: ServersFixture.apiKey]
                for _ in 0..<50 {
                    for path in ["/servers/\(servers.server.text)/accounts/x/", "/servers/x/"] {
                        #expect(try await client.execute(uri: path, method: .get, headers: key).status == .notFound)
                    }
                }
                for word in ["account_unknown", "server_unknown"] {
                    #expect(log.lines("request refused").filter { $0.facts["error"] == word }.count == 20, "\(word)")
                }
            }
        }
    }

    @Test("However many requests a stranger seals, the log has a bounded number of lines of them")
    func flood() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let stranger = try await TestPhone(servers)
            for _ in 0..<90 {
                let unknown = W1(accountID: AccountID(using: SystemRandomSource()), hold: 0)
                _ = try await stranger.sendFresh(unknown)
            }
            #expect(log.lines("phone refused").count == 60)
        }
    }
}
