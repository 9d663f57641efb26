import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Private keys in PEM")
struct PEMKeyTests {
    @Test(
        "A key that openssl wrote is the one that another library reads in it, and signs as it",
        arguments: [
            (PEMFixture.p256, SignatureAlgorithm.es256, PEMFixture.p256Thumbprint),
            (PEMFixture.edwards, .edDSA, PEMFixture.edwardsThumbprint),
        ])
    func read(pem: String, algorithm: SignatureAlgorithm, thumbprint: String) throws {
        for text in [pem, pem + "\n", pem.split(separator: "\n").joined(separator: "\r\n")] {
            let signer = try LocalSigner(pem: text)
            #expect(signer.key.algorithm == algorithm && signer.key.thumbprint.text == thumbprint && signer.key.id == thumbprint)
            #expect(TokenFixture.refusal(of: try signer.sign(TokenFixture.accessToken().json, as: .accessToken), by: JWKSet([signer.key])) == nil)
        }
    }

    @Test("One of RSA is read, too")
    func rsa() throws {
        let drawn = try LocalSigner.drawn(.rs256, using: SeededRandom("pem"))
        let signer = try LocalSigner(pem: PEMFixture.text("RSA PRIVATE KEY", drawn))
        #expect(try signer.key == LocalSigner(.rs256, stored: drawn).key && signer.key.algorithm == .rs256)
    }

    @Test(
        "Another curve, one that is for no signatures, a public half, one under a word, and what is no PEM are no keys",
        arguments: [
            PEMFixture.p384, PEMFixture.x25519, PEMFixture.publicHalf, PEMFixture.encrypted, "", "secret", String(PEMFixture.p256.dropLast(30)),
            PEMFixture.text("PRIVATE KEY", [1, 2, 3]),
        ])
    func wrong(text: String) {
        #expect(throws: LocalSigner.PEMWrong()) { try LocalSigner(pem: text) }
    }
}
