import OstiaryProtocol
import OstiaryTokens

/// Asks the provider whether a token is good now (RFC 7662).
struct IntrospectionQuestion: Sendable {
    static let mostBytes = 65_536

    enum Endpoint: Sendable {
        case discovered(ProviderSource)
        case address(ProviderAddress)
    }

    let rules: TokenRules
    let endpoint: Endpoint
    let credential: ClientCredential
    let mayLackAudience: Bool
    let calls: any ResourceCalls
    let memory: AnswerMemory<JSONObject>
    let underWay = QuestionsUnderWay()
    let shared = SharedQuestions<JSONObject>()

    /// What the provider says of a token that is good.
    /// - Parameter age: seconds for which an earlier answer will do; 0 asks.
    func claims(of token: String, youngerThan age: UInt64, at now: Instant) async throws(ResourceRefusal) -> JSONObject {
        if let known = memory.answer(about: token, youngerThan: age, at: now) {
            do { try checkTimes(known, at: now) } catch { throw .token(error) }
            return known
        }
        let question = shared.question(about: token, youngerThan: age, at: now) { () async throws(Outage) in
            // Another question may have ended between this caller's look and now.
            if let known = memory.answer(about: token, youngerThan: age, at: now) { return known }
            let claims = try await ask(token, at: now)
            // Before the question ends, so that nobody who comes then asks once more. A no is not kept.
            if (try? check(claims, at: now)) != nil { memory.keep(claims, about: token, askedAt: now) }
            return claims
        }
        let claims: JSONObject
        do { claims = try await question.answer() } catch { throw .outage(error) }
        do throws(TokenFault) { try check(claims, at: now) } catch { throw .token(error) }
        return claims
    }

    private func ask(_ token: String, at now: Instant) async throws(Outage) -> JSONObject {
        let address = try await self.address()
        let call = try self.call(about: token, to: address, at: now)
        let answer = try await underWay.asking { () async throws(Outage) in try await calls.body(of: call) }
        guard let object = try? JSONReader.object(answer) else { throw .answerMalformed }
        return object
    }

    private func call(about token: String, to address: ProviderAddress, at now: Instant) throws(Outage) -> ResourceCall {
        var fields = [(name: "Content-Type", value: "application/x-www-form-urlencoded"), (name: "Accept", value: "application/json")]
        var anew: (@Sendable () throws -> ResourceCall)?
        var form = "token=\(PercentEscape.text(token))&token_type_hint=access_token"
        switch credential {
        case .basic(let authorization): fields.append((name: "Authorization", value: authorization))
        case .assertions(let assertions):
            form += "&client_assertion_type=\(PercentEscape.text(ClientAssertions.type))&client_assertion=\(try assertions.assertion(at: now))"
            anew = { try self.call(about: token, to: address, at: now) }
        }
        return ResourceCall(
            method: .post, address: address.text, fields: fields, body: Array(form.utf8), mostBytes: Self.mostBytes, purpose: .question,
            anew: anew)
    }

    private func address() async throws(Outage) -> ProviderAddress {
        switch endpoint {
        case .discovered(let provider): try await provider.introspectionAddress()
        case .address(let address): address
        }
    }
}

extension IntrospectionQuestion {
    private func check(_ claims: JSONObject, at now: Instant) throws(TokenFault) {
        try checkActive(claims)
        try checkKind(claims)
        try checkIssuer(claims)
        try checkAudience(claims)
        try checkTimes(claims, at: now)
    }

    /// RFC 7662 §2.2: `true`, and nothing that looks like it.
    private func checkActive(_ claims: JSONObject) throws(TokenFault) {
        guard claims["active"] == .bool(true) else { throw .notActive }
    }

    /// RFC 7662 §2.2, RFC 6749 §7.1: what is told of the kind has to be an access token's, whatever audience stands beside it; some providers tell that of
    /// refresh tokens and ID tokens as well.
    private func checkKind(_ claims: JSONObject) throws(TokenFault) {
        let told = { (name: String) throws(TokenFault) -> String? in
            try claims.reading { object throws(ClaimError) in try object.optionalText(name) }
        }
        if let type = try told("token_type") {
            guard ["bearer", "dpop"].contains(type.lowercased()) else { throw .notAnAccessToken }
        }
        if let use = try told("token_use") {
            guard use == "access_token" else { throw .notAnAccessToken }
        }
    }

    private func checkIssuer(_ claims: JSONObject) throws(TokenFault) {
        guard let issuer = try claims.reading({ object throws(ClaimError) in try object.optionalText("iss") }) else { return }
        guard issuer.hasBytes(of: rules.issuer) else { throw .issuerWrong }
    }

    /// A token for another API opens nothing here, though it is good there; nor does a refresh token, which has no audience, and of which a provider says
    /// that it is good as well.
    private func checkAudience(_ claims: JSONObject) throws(TokenFault) {
        if claims["aud"] == nil, mayLackAudience {
            guard claims["token_type"] != nil else { throw .claimMissing("token_type") }
            return
        }
        guard try claims.isFor(rules.audience) else { throw .audienceWrong }
    }

    private func checkTimes(_ claims: JSONObject, at now: Instant) throws(TokenFault) {
        if let end = try claims.reading({ object throws(ClaimError) in try object.optionalMoment("exp") }) {
            guard now < end + rules.tolerance else { throw .expired }
        }
        if let start = try claims.reading({ object throws(ClaimError) in try object.optionalMoment("nbf") }) {
            guard start <= now + rules.tolerance else { throw .notYetValid }
        }
    }
}
