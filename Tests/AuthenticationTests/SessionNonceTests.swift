import Authentication
import OstiaryProtocol
import Testing

@Suite("X-nonce")
struct SessionNonceTests {
    @Test(
        "22 to 128 characters of base64url, base64 or hexadecimal name a session",
        arguments: [
            "AAAAAAAAAAAAAAAAAAAAAA", "abcdefghijklmnopqrst-_", "abcdefghijklmnopqrst+/", "0123456789abcdef0123456789abcdef",
            "AAAAAAAAAAAAAAAAAAAAAA==",
            String(repeating: "f", count: 128),
        ])
    func accepted(text: String) throws {
        #expect(try SessionNonce(text).hash == H(.nonce, Array(text.utf8)))
    }

    @Test(
        "Anything else is refused by name",
        arguments: [
            ("", SessionNonceError.tooShort), (String(repeating: "a", count: 21), .tooShort), (String(repeating: "a", count: 129), .tooLong),
            ("abcdefghijklmnopqrst-/", .badCharacter), ("abcdefghijklmnopqrstu ", .badCharacter), ("=AAAAAAAAAAAAAAAAAAAAA", .badCharacter),
            ("AAAAAAAAAAAAAAAAAAAAAA===", .badCharacter), ("ÄAAAAAAAAAAAAAAAAAAAAA", .badCharacter), ("AAAAAAAAAAA\nAAAAAAAAAA", .badCharacter),
        ])
    func refused(text: String, reason: SessionNonceError) {
        #expect(throws: reason) { try SessionNonce(text) }
    }
}
