import OstiaryTokens

/// What is asked: the client is told what is wrong with it.
extension AuthorizeRules {
    static func checkRepetition(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        if let name = input.parameters.repeated { throw .parameterRepeated(name) }
    }

    /// What has to come back as it was is never shortened: it is refused.
    static func checkLengths(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        for (name, most) in [("state", mostState), ("nonce", 512), ("login_hint", 256), ("ui_locales", 256), ("acr_values", 256)] {
            guard input.parameters[name]?.utf8.count ?? 0 <= most else { throw .parameterTooLong(name) }
        }
        asked.nonce = input.parameters["nonce"]
    }

    /// Bytes of a state that is taken back to its client.
    static let mostState = 1_024

    static func checkRequestObject(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard input.parameters["request"] == nil else { throw .requestObject }
        // Of a request that was sent ahead the parameters are in its place by now; one within one is refused too (RFC 9126 §2.1).
        guard input.parameters["request_uri"] == nil else { throw .foreignRequestURI }
    }

    static func checkPushing(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard input.isBeingPushed || input.pushed != nil || !application.requiresPushedRequests else { throw .pushedRequestNeeded }
    }

    static func checkResponseType(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard let type = input.parameters["response_type"] else { throw .responseTypeMissing }
        guard type == "code" else { throw .responseTypeUnsupported }
    }

    static func checkResponseMode(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard let redirect = redirect(of: input), ResponseMode(of: input.parameters, to: redirect) != nil else { throw .responseModeUnsupported }
    }

    static func checkGrantType(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard application.grantTypes.contains(.authorizationCode) else { throw .grantTypeNotAllowed }
    }

    /// Of every client. A method that is left out means `plain` (RFC 7636 §4.3), and that is refused.
    static func checkChallenge(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard let text = input.parameters["code_challenge"] else { throw .challengeMissing }
        guard input.parameters["code_challenge_method"] == "S256" else { throw .challengeMethodWrong }
        do { asked.challenge = try CodeChallenge(text) } catch { throw .challenge(error) }
    }

    /// `dpop_jkt`, and the key of the proof with which the request was sent ahead: where both are there, they are one.
    static func checkBoundKey(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        var named: Thumbprint?
        if let text = input.parameters["dpop_jkt"] {
            guard let thumbprint = Thumbprint(text: text) else { throw .boundKeyWrong }
            named = thumbprint
        }
        guard named == nil || input.proofKey == nil || named == input.proofKey else { throw .boundKeyWrong }
        asked.boundKey = named ?? input.proofKey
    }

    /// `audience`, or `resource` by its standard name: one API of this client.
    static func checkTarget(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        let named: APIIdentifier?
        do { named = try input.parameters.target() } catch { throw .targetUnknown }
        guard let named else { return }
        guard input.api?.identifier == named, application.apis[named] != nil else { throw .targetUnknown }
    }

    static func checkScope(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        let all: ScopeSet
        do { all = try ScopeSet(parsing: input.parameters["scope"] ?? "") } catch { throw .scope(error) }
        asked.scopes = ScopeRule(application: application, api: input.api).allowed(of: all)
        guard !asked.scopes.isEmpty else { throw .nothingToGrant }
    }

    static func checkPrompt(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        let words = (input.parameters["prompt"] ?? "").split(separator: " ")
        let prompts = words.compactMap { AuthorizationRequest.Prompt(rawValue: String($0)) }
        guard prompts.count == words.count else { throw .promptUnknown }
        guard !prompts.contains(.none) || prompts.count == 1 else { throw .promptNoneWithOthers }
        asked.prompts = Set(prompts)
    }

    static func checkMaxAge(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard let text = input.parameters["max_age"] else { return }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = UInt64(text) else { throw .maxAgeWrong }
        asked.maxAge = UInt32(clamping: seconds)
    }

    /// A value that nobody here knows is as good as none: it is voluntary (OpenID Connect Core §3.1.2.1).
    static func checkStrength(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        asked.strengths = (input.parameters["acr_values"] ?? "").split(separator: " ").compactMap { LoginStrength(rawValue: String($0)) }
    }

    /// Of a claims request what says something here: the person whom the ID token has to name, values of `acr` that it has to have, and claims of the
    /// person. Any other is ignored, as what is not understood (OpenID Connect Core §5.5).
    static func checkClaims(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        guard let text = input.parameters["claims"] else { return }
        guard text.utf8.count <= 4_096, let claims = try? JSONReader.object(Array(text.utf8)) else { throw .claimsWrong }
        for name in ["id_token", "userinfo"] {
            guard claims[name].map({ $0.object != nil }) ?? true else { throw .claimsWrong }
        }
        let idToken = claims["id_token"]?.object
        let named = AskedClaims(idToken: try Self.named(in: idToken), userInfo: try Self.named(in: claims["userinfo"]?.object))
        // Without it nobody is told who somebody is.
        if asked.scopes.contains(.openID) { asked.claims = named }
        if let subject = idToken?["sub"]?.object?["value"] {
            guard let text = subject.string else { throw .claimsWrong }
            asked.hinted = text
        }
        guard let acr = idToken?["acr"]?.object else { return }
        let values = (acr["values"]?.strings ?? []) + [acr["value"]?.string].compactMap { $0 }
        let known = values.compactMap { LoginStrength(rawValue: $0) }
        guard acr["essential"]?.bool == true, !values.isEmpty else {
            asked.strengths += known
            return
        }
        // Essential, and nothing that could be met: better told now than after a login.
        guard !known.isEmpty else { throw .requirementsUnmet }
        // What `acr_values` wishes besides is voluntary, and makes none of these weaker (§5.5.1.1).
        asked.strengths = known
    }

    /// A claim is asked for by null, or by an object that says more of it (§5.5.1). Whether it is essential makes no difference: nobody is turned away for
    /// what is not known of them, and no value is made to fit.
    private static func named(in object: JSONObject?) throws(AuthorizeRefusal) -> Set<PersonClaim> {
        var names: Set<PersonClaim> = []
        for claim in PersonClaim.allCases {
            switch object?[claim.rawValue] {
            case nil: continue
            case .null?, .object?: names.insert(claim)
            case .some: throw .claimsWrong
            }
        }
        return names
    }

    static func checkHint(_ input: AuthorizeInput, _ application: Application, _ asked: inout AskedFor) throws(AuthorizeRefusal) {
        switch input.hint {
        case .none: break
        case .subject(let subject):
            // Nobody is two people.
            guard asked.hinted ?? subject == subject else { throw .hintWrong }
            asked.hinted = subject
        case .wrong: throw .hintWrong
        }
    }
}
