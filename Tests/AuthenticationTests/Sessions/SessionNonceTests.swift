import Authentication
import OstiaryProtocol
import Testing

@Suite("SessionNonce")
struct SessionNonceTests {
    private func refusal(_ text: String) -> SessionNonceError? {
        do { _ = try SessionNonce(text) } catch { return error }
        return nil
    }

    @Test(
        "22 to 128 characters of base64url, base64 or hexadecimal are a nonce",
        arguments: [
            String(repeating: "a", count: 22), String(repeating: "Z", count: 128), "0123456789abcdef0123456789ABCDEF",
            "abcdefghijklmnop-_ABCD", "abcdefghijklmnop+/ABCD", "abcdefghijklmnopqrstuv==", "abcdefghijklmnopqrstuvw=",
        ])
    func accepted(text: String) throws {
        #expect(try SessionNonce(text).hash == Transcript.nonce(text))
    }

    @Test("Fewer than 22 are too short, more than 128 too long, each with its own reason")
    func lengths() {
        #expect(refusal("") == .tooShort)
        #expect(refusal(String(repeating: "a", count: 21)) == .tooShort)
        #expect(refusal(String(repeating: "a", count: 129)) == .tooLong)
    }

    @Test(
        "Anything else in it is refused",
        arguments: [
            "abcdefghijklmnop qrstuv", "abcdefghijklmnopqrstuvé", "abcdefghijklmnop-/ABCD", "abcdefghijklmnopqrs===", "====aaaaaaaaaaaaaaaaaaaa",
            String(repeating: "=", count: 22), "abcdefghijklmnopqrst\u{0}v", "abc=efghijklmnopqrstuvw",
        ])
    func refused(text: String) {
        #expect(refusal(text) == .badCharacter)
    }

    @Test("A nonce prints as four bytes of its hash and never as its text")
    func printing() throws {
        let text = "abcdefghijklmnopqrstuvwx"
        let printed = try SessionNonce(text).description
        #expect(!printed.contains(text))
        #expect(printed == "nonce \(Base64URL.encode(Array(Transcript.nonce(text).prefix(4))))")
    }

    @Test("The session's id tells nothing of the nonce, and each run has another")
    func derivation() throws {
        let hash = try DomainFixture.nonce("browser").hash
        let derivation = SessionDerivation(sidKey: [UInt8](repeating: 1, count: 32))
        let other = SessionDerivation(sidKey: [UInt8](repeating: 2, count: 32))
        let first = derivation.sessionID(nonceHash: hash, run: 0)
        #expect(first == derivation.sessionID(nonceHash: hash, run: 0))
        #expect(first != derivation.sessionID(nonceHash: hash, run: 1))
        #expect(first != other.sessionID(nonceHash: hash, run: 0))
        #expect(first.bytes != derivation.stream(nonceHash: hash).bytes)
        #expect(derivation.linkSecret(of: first) != derivation.linkSecret(of: derivation.sessionID(nonceHash: hash, run: 1)))
        #expect("\(derivation)" == "SessionDerivation ‹secret›")
    }
}
