import OstiaryProtocol
import OstiaryTokens
import Testing

/// Keys that come again in every run, and tokens by them.
enum TokenFixture {
    static let now = Instant(1_800_000_000)
    static let issuer = "https://login.example"
    static let api = "https://api.example.com/timesheets"

    static func es256(_ seed: UInt8 = 7) throws -> LocalSigner { try LocalSigner(.es256, stored: [UInt8](repeating: seed, count: 32)) }
    static func edDSA(_ seed: UInt8 = 7) throws -> LocalSigner { try LocalSigner(.edDSA, stored: [UInt8](repeating: seed, count: 32)) }

    static func accessToken(_ change: (inout AccessTokenClaims) -> Void = { _ in }) -> AccessTokenClaims {
        var claims = AccessTokenClaims(
            issuer: issuer, subject: "alice", audiences: [api], clientID: "timesheets", issuedAt: now, expiresAt: now + 300, id: "one",
            scope: "read:timesheets create:timesheets",
            authentication: AuthenticationClaims(time: now - 20, acr: "mfa", amr: ["mfa", "pin", "pop"]))
        change(&claims)
        return claims
    }

    /// A JWS with any header over any payload, signed by whoever is asked to.
    static func forged(header: String, payload: String, by signer: any TokenSigner) throws -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return input + "." + Base64URL.encode(try signer.signature(over: Array(input.utf8)))
    }

    static func refusal(of text: String, by keys: JWKSet, as type: TokenType = .accessToken) -> JOSEError? {
        do { _ = try UnverifiedJWS(compact: text).verified(by: keys, as: type) } catch { return error }
        return nil
    }
}
