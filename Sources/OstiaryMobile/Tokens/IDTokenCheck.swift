import Crypto
import Foundation
import OstiaryProtocol
import OstiaryTokens

/// The checks of an ID token that came from the token endpoint (OpenID Connect Core §3.1.3.7, §12.2): in order, one rule a function, each with its own reason.
struct IDTokenCheck: Sendable {
    /// Seconds by which the clocks of this device and the provider may differ.
    static let leeway: UInt64 = 60

    let issuer: String
    let clientID: String
    /// Those that the provider says it uses.
    let algorithms: Set<SignatureAlgorithm>
    /// As the request of this login had it; nil where there was no request of a browser.
    let nonce: String?
    /// The token that came with it.
    let accessToken: String
    /// Who is logged in already; nil at a login.
    let subject: String?
    /// Whether an ID token of another time counts. At a refresh it does: its answer was just asked for, and a clock that is wrong must cost nobody the login.
    let checksTimes: Bool

    /// By which its key is found. Nobody is asked for keys for the sake of a token that none would make good.
    func header(of text: String) throws(TokenError) -> JOSEHeader {
        do throws(JOSEError) {
            let header = try UnverifiedJWS(compact: text).header
            guard algorithms.contains(header.algorithm) else { throw .algorithmNotAllowed }
            return header
        } catch { throw .idToken(IDTokenFault(error)) }
    }

    func profile(_ text: String, by keys: JWKSet, at now: Instant) throws(TokenError) -> TokenProfile {
        do throws(IDTokenFault) {
            return try checked(try verified(text, by: keys), at: now)
        } catch { throw .idToken(error) }
    }

    private func verified(_ text: String, by keys: JWKSet) throws(IDTokenFault) -> JSONObject {
        do throws(JOSEError) {
            return try UnverifiedJWS(compact: text).verified(by: keys, as: .idToken, allowing: algorithms).claims
        } catch { throw IDTokenFault(error) }
    }

    private func checked(_ claims: JSONObject, at now: Instant) throws(IDTokenFault) -> TokenProfile {
        try checkIssuer(claims)
        try checkAudience(claims)
        try checkTimes(claims, at: now)
        try checkNonce(claims)
        try checkAccessToken(claims)
        try checkSubject(claims)
        return try Self.reading { () throws(ClaimError) in try TokenProfile(claims) }
    }

    private static func reading<Value>(_ read: () throws(ClaimError) -> Value) throws(IDTokenFault) -> Value {
        do { return try read() } catch { throw .malformed }
    }
}

// One rule each.
extension IDTokenCheck {
    private func checkIssuer(_ claims: JSONObject) throws(IDTokenFault) {
        guard let named = claims["iss"]?.string, isSame(named, issuer) else { throw .issuer }
    }

    /// For this client alone, or made for it as one of several: who the others are nobody here knows.
    private func checkAudience(_ claims: JSONObject) throws(IDTokenFault) {
        let audiences = try Self.reading { () throws(ClaimError) in try claims.audiences() }
        guard audiences.contains(where: { isSame($0, clientID) }) else { throw .audience }
        let party = claims["azp"]
        guard party != nil || audiences.count == 1 else { throw .authorizedParty }
        if let party {
            guard let name = party.string, isSame(name, clientID) else { throw .authorizedParty }
        }
    }

    private func checkTimes(_ claims: JSONObject, at now: Instant) throws(IDTokenFault) {
        let (end, made) = try Self.reading { () throws(ClaimError) in (try claims.moment("exp"), try claims.moment("iat")) }
        guard checksTimes else { return }
        guard now < end + Self.leeway else { throw .expired }
        guard made <= now + Self.leeway else { throw .issuedLater }
    }

    /// What a request had its token has. A refresh may leave it out, and what it has then is not looked at (§12.2).
    private func checkNonce(_ claims: JSONObject) throws(IDTokenFault) {
        guard let nonce else { return }
        guard let told = claims["nonce"]?.string, isSame(told, nonce) else { throw .nonce }
    }

    /// `at_hash`, where it is there (§3.1.3.8): of an EdDSA token by SHA-512, else by SHA-256.
    private func checkAccessToken(_ claims: JSONObject) throws(IDTokenFault) {
        guard let told = claims["at_hash"] else { return }
        let bytes = Array(accessToken.utf8)
        let halves = [Array(SHA256.hash(data: bytes).prefix(16)), Array(SHA512.hash(data: bytes).prefix(32))]
        guard let text = told.string, let hash = Base64URL.decode(text), halves.contains(where: { matches($0, hash) }) else { throw .accessTokenHash }
    }

    private func checkSubject(_ claims: JSONObject) throws(IDTokenFault) {
        guard let told = claims["sub"]?.string, (1...255).contains(told.utf8.count) else { throw .malformed }
        guard subject.map({ isSame($0, told) }) ?? true else { throw .subject }
    }
}

/// Whether two texts are the same to the byte; Swift's own `==` takes canonically equivalent ones for equal.
func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

extension TokenProfile {
    /// Out of claims that were verified. A picture that is no https address is left out: an app would fetch it.
    init(_ claims: JSONObject) throws(ClaimError) {
        subject = try claims.text("sub")
        name = try claims.optionalText("name")
        picture = try claims.optionalText("picture").flatMap { URL(string: $0) }.flatMap { $0.scheme?.lowercased() == "https" ? $0 : nil }
        email = try claims.optionalText("email")
        isEmailVerified = claims["email_verified"]?.bool ?? false
        authenticatedAt = try claims.optionalMoment("auth_time")?.seconds
        authenticationContext = try claims.optionalText("acr")
    }
}

extension IDTokenFault {
    init(_ error: JOSEError) {
        self =
            switch error {
            case .algorithmMissing, .algorithmUnknown, .algorithmNotAllowed: .algorithm
            case .keyUnknown: .key
            case .signatureEmpty, .signatureWrong: .signature
            case .tooLong, .notThreeParts, .notBase64URL, .header, .payload, .headerMemberWrong, .criticalExtension, .typeMissing, .typeWrong:
                .malformed
            }
    }
}
