import OstiaryProtocol
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    @Test("They print as ‹secret›, alone and inside another value, and show nothing to a mirror")
    func redacted() {
        struct Holder { let key: SecretBytes }
        let secret = SecretBytes([0xDE, 0xAD])
        var dumped = ""
        dump(Holder(key: secret), to: &dumped)
        #expect("\(secret)" == "‹secret›")
        #expect(String(reflecting: secret) == "‹secret›")
        #expect("\([secret])" == "[‹secret›]")
        #expect(!"\(Holder(key: secret))".contains("222") && !dumped.contains("222"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("They match the same bytes only")
    func matching() {
        let secret = SecretBytes([1, 2, 3])
        #expect(secret.matches(SecretBytes([1, 2, 3])))
        #expect(!secret.matches(SecretBytes([1, 2, 4])))
        #expect(!secret.matches(SecretBytes([1, 2])))
        #expect(SecretBytes([]).matches(SecretBytes([])))
    }
}
