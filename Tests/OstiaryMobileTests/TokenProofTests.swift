import Crypto
import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Proofs of the key for tokens, RFC 9449 §4.2", .timeLimit(.minutes(10)))
struct TokenProofTests {
    private static let address = "https://login.example/oauth/token"

    private struct Header: Decodable {
        struct Key: Decodable {
            let kty: String
            let crv: String
            let x: String
            let y: String
            let d: String?
        }

        let typ: String
        let alg: String
        let jwk: Key
    }

    private struct Claims: Decodable, Equatable {
        let jti: String
        let htm: String
        let htu: String
        let iat: UInt64
        let ath: String?
        let nonce: String?
    }

    private func loggedIn(_ configure: (inout Ostiary.Configuration) -> Void = { $0.bindsTokens = true }) async throws -> (TestPhone, Session) {
        let phone = try await TestPhone.enrolled(configure)
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let session = try await phone.login()
        return (phone, session)
    }

    /// What a proof says, once its signature was verified by the key that it carries, which has to be the one that the login named.
    private func read(_ proof: String, of phone: TestPhone) async throws -> Claims {
        let parts = proof.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        let bytes = try parts.map { try #require(Base64URL.decode($0)) }
        let header = try JSONDecoder().decode(Header.self, from: Data(bytes[0]))
        #expect(header.typ == "dpop+jwt" && header.alg == "ES256" && header.jwk.kty == "EC" && header.jwk.crv == "P-256" && header.jwk.d == nil)
        let point = try [4] + #require(Base64URL.decode(header.jwk.x)) + #require(Base64URL.decode(header.jwk.y))
        let key = try P256.Signing.PublicKey(x963Representation: point)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes[2])
        #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let named = await phone.server.with { $0.tokenKeys }
        #expect(named.last == TokenKey(publicKey: point))
        return try JSONDecoder().decode(Claims.self, from: Data(bytes[1]))
    }

    @Test("S0-18 a proof is by the key that the login named, for one request, and each is another")
    func proof() async throws {
        let (phone, session) = try await loggedIn()
        let url = try #require(URL(string: Self.address))
        let first = try await read(try await phone.ostiary.tokenProof(for: session, method: "POST", url: url), of: phone)
        #expect(first.htm == "POST" && first.htu == Self.address && first.ath == nil && first.nonce == nil)
        #expect(first.iat == phone.clock.wall)
        let second = try await read(try await phone.ostiary.tokenProof(for: session, method: "POST", url: url), of: phone)
        #expect(second.jti != first.jti && first.jti.count == 22)
    }

    @Test("With a token goes its hash, with a nonce the nonce, whatever stands in it; and of the address neither query nor fragment")
    func resource() async throws {
        let (phone, session) = try await loggedIn()
        let url = try #require(URL(string: "https://api.example/things/%22?a=b#c"))
        let proof = try await phone.ostiary.tokenProof(for: session, method: "GET", url: url, accessToken: "abc", nonce: #"a"b\"#)
        let claims = try await read(proof, of: phone)
        #expect(claims.htu == "https://api.example/things/%22" && claims.nonce == #"a"b\"#)
        // SHA-256 of `abc`, FIPS 180-4.
        #expect(claims.ath == "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
    }

    @Test("Its time is the server's, also on a phone whose clock is wrong")
    func time() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        await phone.server.with { $0.mishaps.clockAhead = 3_600 }
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let session = try await phone.login()
        let proof = try await phone.ostiary.tokenProof(for: session, method: "POST", url: try #require(URL(string: Self.address)))
        #expect(try await read(proof, of: phone).iat == phone.clock.wall + 3_600)
    }

    @Test("There is none before the login, after it, for a browser's session, for an app that binds no tokens, or for what is no address")
    func refused() async throws {
        let url = try #require(URL(string: Self.address))
        let (phone, session) = try await loggedIn()
        await #expect(throws: OstiaryError.linkUnreadable) {
            try await phone.ostiary.tokenProof(for: session, method: "POST", url: try #require(URL(string: "/oauth/token")))
        }
        phone.ostiary.stopAppLogin()
        _ = try await phone.stopped()
        await #expect(throws: OstiaryError.wrongOrder) { try await phone.ostiary.tokenProof(for: session, method: "POST", url: url) }
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let browser = try await phone.login()
        await #expect(throws: OstiaryError.wrongOrder) { try await phone.ostiary.tokenProof(for: browser, method: "POST", url: url) }
        let (other, unbound) = try await loggedIn { _ in }
        await #expect(throws: OstiaryError.notOffered) { try await other.ostiary.tokenProof(for: unbound, method: "POST", url: url) }
    }
}
