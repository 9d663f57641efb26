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

    func caller(of webNonce: String, at now: Instant) async throws(ResourceRefusal) -> VerifiedCaller {
        guard Self.isNonce(webNonce) else { throw .token(.badCharacter) }
        // What was remembered says until when the login lasts unless the phone answers again: from then on only asking tells.
        if let known = memory.answer(about: webNonce, youngerThan: age, at: now), known.expiresAt.map({ now.seconds < $0 }) ?? true { return known }
        let session = try await ask(webNonce)
        guard session["loggedin"] == .bool(true) else { throw .token(.nobodyLoggedIn) }
        let caller: VerifiedCaller
        do { caller = try self.caller(session) } catch { throw .token(error) }
        memory.keep(caller, about: webNonce, askedAt: now)
        return caller
    }

    private func ask(_ webNonce: String) async throws(ResourceRefusal) -> JSONObject {
        let fields = [(name: "X-apikey", value: apiKey), (name: "X-nonce", value: webNonce), (name: "Accept", value: "application/json")]
        let call = ResourceCall(method: .get, address: address, fields: fields, body: nil, mostBytes: Self.mostBytes, purpose: .question)
        do throws(Outage) {
            let answer = try await underWay.asking { () async throws(Outage) in try await calls.body(of: call) }
            guard let object = try? JSONReader.object(answer) else { throw .answerMalformed }
            return object
        } catch { throw .outage(error) }
    }

    private func caller(_ session: JSONObject) throws(TokenFault) -> VerifiedCaller {
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
