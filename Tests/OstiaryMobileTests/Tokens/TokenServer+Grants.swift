import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens

@testable import OstiaryMobile

/// What the double does with browsers and forms.
extension TokenServer {
    static let nonce = "nonce-of-the-server"

    /// What a browser comes back with that opened an address, after a person said yes.
    func authorize(_ url: URL) throws -> URL {
        let asked = Self.query(url.query(percentEncoded: true) ?? "")
        with { $0.opened.append(url) }
        let redirect = asked["redirect_uri"] ?? asked["post_logout_redirect_uri"] ?? ""
        var parameters = [(name: "state", value: asked["state"] ?? "")]
        if url.path == "/authorize" {
            let code = draw("code")
            with { state in
                state.codes[code] = Code(
                    challenge: asked["code_challenge"] ?? "", redirectURI: redirect, nonce: asked["nonce"], boundKey: asked["dpop_jkt"],
                    scope: asked["scope"] ?? "")
            }
            parameters += [(name: "code", value: code), (name: "iss", value: Self.issuer)]
        }
        let lie = with { $0.lies.callback }
        lie?(&parameters)
        guard let back = URL(string: "\(redirect)?\(PercentEscape.form(parameters))") else { throw BrowserError.unavailable }
        return back
    }

    func token(_ form: [String: String], proof: String?) -> (Int, [UInt8], [String: String]) {
        var key: String?
        if let proof {
            do { key = try checked(proof) } catch {
                guard error != .nonceNeeded else { return Self.error("use_dpop_nonce", nonce: Self.nonce) }
                return Self.error("invalid_dpop_proof")
            }
        }
        guard form["client_id"] == "timesheets" else { return Self.error("invalid_client", 401) }
        switch form["grant_type"] {
        case "authorization_code": return redeem(form, key)
        case "refresh_token": return refresh(form, key)
        case "urn:ietf:params:oauth:grant-type:token-exchange": return exchange(form, key)
        default: return Self.error("unsupported_grant_type")
        }
    }

    /// The thumbprint of the key that made a proof for the token endpoint.
    private func checked(_ text: String) throws(DPoPRefusal) -> String {
        guard let proof = try UnverifiedDPoPProof(fields: [text]), let target = HTTPTarget(Self.issuer + "/oauth/token") else { throw .missing }
        let verified = try proof.verified(for: DPoPUse(method: "POST", target: target), at: now)
        let claims = (try? UnverifiedJWS(compact: text))?.claimed
        let (asksNonce, isNew) = with { state in (state.asksNonce, state.spentProofs.insert(verified.spentAs).inserted) }
        guard !asksNonce || claims?["nonce"]?.string == Self.nonce else { throw .nonceNeeded }
        guard isNew else { throw .replayed }
        return verified.thumbprint.text
    }

    /// A wrong try spends a code as a right one does.
    private func redeem(_ form: [String: String], _ key: String?) -> (Int, [UInt8], [String: String]) {
        guard let code = with({ $0.codes.removeValue(forKey: form["code"] ?? "") }), code.redirectURI == form["redirect_uri"],
            code.boundKey == key, let verifier = try? CodeVerifier(form["code_verifier"] ?? ""), let challenge = try? CodeChallenge(code.challenge),
            challenge.isMet(by: verifier)
        else { return Self.error("invalid_grant") }
        let family = with { state -> Int in
            state.families.append(Family(scope: code.scope, nonce: code.nonce, key: key))
            return state.families.count - 1
        }
        return give(family, nonce: code.nonce)
    }

    /// A bearer token is renewed, and its predecessor leads to the same until the newest was used; one that is bound stays what it is.
    private func refresh(_ form: [String: String], _ key: String?) -> (Int, [UInt8], [String: String]) {
        let parts = (form["refresh_token"] ?? "").split(separator: ".")
        guard parts.count == 3, parts[0] == "refresh", let number = Int(parts[1]), let generation = Int(parts[2]) else {
            return Self.error("invalid_grant")
        }
        let isGood = with { state -> Bool in
            guard state.families.indices.contains(number), !state.families[number].isOver, state.families[number].key == key else { return false }
            let newest = state.families[number].generation
            guard generation == newest || generation + 1 == newest else {
                state.families[number].isOver = true
                return false
            }
            if generation == newest, key == nil { state.families[number].generation += 1 }
            return true
        }
        return isGood ? give(number, nonce: nil) : Self.error("invalid_grant")
    }

    private func exchange(_ form: [String: String], _ key: String?) -> (Int, [UInt8], [String: String]) {
        guard let key, let subject = with({ $0.webNonces[form["subject_token"] ?? ""] }) else { return Self.error("invalid_grant") }
        let family = with { state -> Int in
            state.subject = subject
            state.families.append(Family(scope: "openid", nonce: nil, key: key))
            return state.families.count - 1
        }
        return give(family, nonce: nil, isLasting: false)
    }

    private func give(_ number: Int, nonce: String?, isLasting: Bool = true) -> (Int, [UInt8], [String: String]) {
        let access = draw("access")
        let (family, lies, subject, life, issuesRefresh) = with { state in
            state.accessTokens[access] = number
            return (state.families[number], state.lies, state.subject, state.life, state.issuesRefreshTokens)
        }
        var claims = JSONObject([
            "iss": .string(Self.issuer), "sub": .string(subject), "aud": .string("timesheets"), "iat": .moment(now),
            "exp": .moment(now + 3_600), "nonce": nonce.map { .string($0) }, "auth_time": .moment(now - 5), "acr": .string("mfa"),
            "at_hash": .string(Base64URL.encode(Array(SHA(Array(access.utf8)).prefix(16)))), "name": .string("Alice Example"),
            "email": .string("alice@example.org"), "email_verified": .bool(true), "picture": .string("https://login.example/alice.png"),
        ])
        lies.claims?(&claims)
        let signed = (try? (lies.signer ?? signer).sign(claims, as: .idToken)) ?? ""
        let hasRefresh = isLasting && family.scope.contains("offline_access") && issuesRefresh
        var answer = JSONObject([
            "access_token": .string(access), "token_type": .string(family.key == nil ? "Bearer" : "DPoP"), "expires_in": .integer(life),
            "scope": .string(family.scope),
            "refresh_token": hasRefresh ? .string("refresh.\(number).\(family.generation)") : nil,
            "id_token": family.scope.contains("openid") ? .string(lies.idToken?(signed) ?? signed) : nil,
        ])
        lies.answer?(&answer)
        return (200, answer.encoded, [:])
    }

    func revoke(_ token: String) {
        with { state in
            state.revoked.append(token)
            let parts = token.split(separator: ".")
            if parts.count == 3, let number = Int(parts[1]), state.families.indices.contains(number) { state.families[number].isOver = true }
        }
    }

    /// Whether an API would take a token now, with the fields that go with it.
    func isGood(_ token: FreshToken) -> Bool {
        with { state in
            guard let number = state.accessTokens[token.value] else { return false }
            return !state.families[number].isOver
        }
    }
}
