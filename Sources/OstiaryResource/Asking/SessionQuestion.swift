import OstiaryProtocol
import OstiaryTokens

/// Asks Ostiary's `getSession` who is logged in with a webNonce now (docs/rest-api.md).
struct SessionQuestion: Sendable {
    static let mostBytes = 262_144

    /// `…/servers/SERVERID/sessions/`.
    let address: String
    let apiKey: String
    /// What everybody who is logged in may do.
    let scopes: Set<String>
    let calls: any ResourceCalls
    /// Seconds for which an answer is remembered; 0 asks each time.
    let age: UInt64
    let memory: AnswerMemory<VerifiedCaller>
    let underWay = QuestionsUnderWay()
    fileprivate let shared = SharedQuestions<Told>()

    func caller(of webNonce: String, at now: Instant) async throws(ResourceRefusal) -> VerifiedCaller {
        guard Self.isNonce(webNonce) else { throw .token(.badCharacter) }
        if let known = memory.answer(about: webNonce, youngerThan: age, at: now), Self.lasts(known, at: now) { return known }
        let question = self.question(about: webNonce, youngerThan: age, at: now)
        let caller = try await told(by: question)
        guard question.askedAt < now, !Self.lasts(caller, at: now) else { return caller }
        return try await told(by: self.question(about: webNonce, youngerThan: 0, at: now))
    }

    /// What was told a while ago says until when the login lasts unless the phone answers again: from then on only asking tells.
    private static func lasts(_ caller: VerifiedCaller, at now: Instant) -> Bool { caller.expiresAt.map { now.seconds < $0 } ?? true }

    private func question(about webNonce: String, youngerThan age: UInt64, at now: Instant) -> SharedQuestions<Told>.Question {
        shared.question(about: webNonce, youngerThan: age, at: now) { () async throws(Outage) in
            // Another question may have ended between this caller's look and now.
            if let known = memory.answer(about: webNonce, youngerThan: age, at: now), Self.lasts(known, at: now) { return .remembered(known) }
            let session = try await ask(webNonce)
            // Before the question ends, so that nobody who comes then asks once more. A no is not kept.
            if let caller = try? caller(session) { memory.keep(caller, about: webNonce, askedAt: now) }
            return .said(session)
        }
    }

    private func told(by question: SharedQuestions<Told>.Question) async throws(ResourceRefusal) -> VerifiedCaller {
        let told: Told
        do { told = try await question.answer() } catch { throw .outage(error) }
        switch told {
        case .remembered(let caller): return caller
        case .said(let session): do { return try caller(session) } catch { throw .token(error) }
        }
    }

    private func ask(_ webNonce: String) async throws(Outage) -> JSONObject {
        let fields = [(name: "X-apikey", value: apiKey), (name: "X-nonce", value: webNonce), (name: "Accept", value: "application/json")]
        let call = ResourceCall(method: .get, address: address, fields: fields, body: nil, mostBytes: Self.mostBytes, purpose: .question)
        let answer = try await underWay.asking { () async throws(Outage) in try await calls.body(of: call) }
        guard let object = try? JSONReader.object(answer) else { throw .answerMalformed }
        return object
    }

    private func caller(_ session: JSONObject) throws(TokenFault) -> VerifiedCaller {
        guard session["loggedin"] == .bool(true) else { throw .nobodyLoggedIn }
        let read = { (name: String) throws(TokenFault) -> String? in
            try session.reading { object throws(ClaimError) in try object.optionalText(name) }
        }
        let moment = { (name: String) throws(TokenFault) -> UInt64? in
            try session.reading { object throws(ClaimError) in try object.optionalMoment(name)?.seconds }
        }
        guard let subject = try read("userid") else { throw .claimMissing("userid") }
        // Without a second factor nothing but the device showed who it is, when it logged in.
        let (proved, began) = (try moment("authtime"), try moment("logintime"))
        return VerifiedCaller(
            subject: subject, account: try read("accountid"), scopes: scopes, acr: try read("acr"), amr: try session.list("amr"),
            authTime: proved ?? began, expiresAt: try moment("expiresat"), provedBy: .webNonce,
            claims: session.claimValues)
    }

    /// 22 to 128 characters of base64url, base64 or hexadecimal: anything else is no nonce, and is not put into a header field.
    private static func isNonce(_ text: String) -> Bool {
        (22...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_+/=".utf8.contains(byte)
            }
    }
}

/// What a question came to.
private enum Told: Sendable {
    /// Nobody was asked: what another caller was told lately will do.
    case remembered(VerifiedCaller)
    case said(JSONObject)
}
