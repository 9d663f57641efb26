import OstiaryTokens
import Testing

@Suite("PKCE, RFC 7636")
struct PKCETests {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private func challengeError(_ text: String) -> PKCEError? {
        do { _ = try CodeChallenge(text) } catch { return error }
        return nil
    }

    private func verifierError(_ text: String) -> PKCEError? {
        do { _ = try CodeVerifier(text) } catch { return error }
        return nil
    }

    @Test("S3-33 the verifier of RFC 7636 Appendix B meets its challenge, and no other does")
    func example() throws {
        let challenge = try CodeChallenge(Self.challenge)
        #expect(challenge.isMet(by: try CodeVerifier(Self.verifier)))
        #expect(!challenge.isMet(by: try CodeVerifier(Self.verifier + "k")))
        #expect(!challenge.isMet(by: try CodeVerifier(Self.challenge)))
        #expect(challenge.text == Self.challenge)
    }

    @Test("authz_pkce_challenge_too_short, _too_long, _charset: a challenge is a SHA-256, in its one spelling")
    func challenges() {
        #expect(challengeError(String(Self.challenge.dropLast())) == .tooShort)
        #expect(challengeError(Self.challenge + "A") == .tooLong)
        #expect(challengeError(Self.challenge.replacing("-", with: "+")) == .badCharacter)
        // The last character has two bits that say nothing and have to be zero.
        #expect(challengeError(String(Self.challenge.dropLast()) + "N") == .badCharacter)
    }

    @Test("tok_verifier_short, tok_verifier_long: a verifier has 43 to 128 unreserved characters")
    func verifiers() {
        #expect(verifierError(String(repeating: "a", count: 42)) == .tooShort)
        #expect(verifierError(String(repeating: "a", count: 129)) == .tooLong)
        for length in [43, 128] { #expect(verifierError(String(repeating: "~", count: length)) == nil) }
        #expect(verifierError(String(repeating: "a", count: 42) + "+") == .badCharacter)
        #expect(verifierError(String(repeating: "a", count: 42) + "é") == .badCharacter)
    }

    @Test("A verifier is printed by nobody")
    func printing() throws {
        #expect("\(try CodeVerifier(Self.verifier))" == "‹secret›")
    }
}
