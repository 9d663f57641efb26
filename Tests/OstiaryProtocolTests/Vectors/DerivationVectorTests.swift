import Foundation
import OstiaryProtocol
import Testing

/// `Vectors/derivations/all.json`: each hash, derivation and transcript of protocol §2–§8 over given bytes.
struct Derivation: Codable, Equatable {
    let name: String
    /// Inputs in the order of the specification, hexadecimal.
    let inputs: [String]
    let output: String
}

@Suite("Vectors/derivations")
struct DerivationVectorTests {
    static let file = "derivations/all.json"

    static func computed() throws -> [Derivation] {
        let random = FixedRandom(2_026)
        let (a, b, c) = (random.bytes(32), random.bytes(32), random.bytes(20))
        let (account, instance, attempt) = (AccountID(using: random), InstanceID(using: random), AttemptID(using: random))
        let root = Root(ed25519: a, serverID: ServerID(using: random))
        func entry(_ name: String, _ inputs: [[UInt8]], _ output: [UInt8]) -> Derivation {
            Derivation(name: name, inputs: inputs.map(VectorFiles.hex), output: VectorFiles.hex(output))
        }
        let link = LoginLink(serverTag: root.tag, sessionID: SessionID(using: random), issuedAt: 9, frame: 4, binding: .qrDynamic, qrSecret: b)
        let session = SessionID(using: random)
        let offer = Offer(
            madeAt: Instant(1_800_000_000), binding: .qrStatic, secondFactor: .cacheAllowed, methods: [.pin, .bio, .cached], asked: 3,
            requestHash: SHA(a), shownHash: SHA(b), for: Offer.Place(session: session, ephemeral: b), sealedBy: a)
        let enrolment = EnrolLink(
            rootHash: a, enrolID: try #require(EnrolmentID(session.bytes)), enrolSecret: session.bytes, url: "https://door.example")
        let upgrade = UpgradeLink(enrolment, of: account)
        return [
            entry("SHA", [c], SHA(c)), entry("H(enrol-code)", [c], H(.enrolCode, c)),
            entry("KDF(kpin), ikm, salt, ctx, 64 bytes", [a, b, c], KDF(ikm: a, salt: b, .kpin, c, 64)),
            entry("KDF(s2c), empty salt, ikm, ctx, 44 bytes", [a, c], KDF(ikm: a, salt: [], .s2c, c, 44)),
            entry("HMAC(sid), key, bytes", [a, c], MAC(key: a, .sid, c)),
            entry("rootHash", [root.encoded], root.hash),
            entry(
                "sessHash, SHA(Req), l2Hash, accountId", [a, b, account.bytes], Transcript.session(requestHash: a, shownHash: b, account: account)),
            entry("acct, accountId, sN", [account.bytes, b], Transcript.accountMark(account, serverNonce: b)),
            entry("Offer, sidKey, sid, ephPk", [a, session.bytes, b], offer.encoded),
            entry("enrolHash, SHA(Req), E2 body", [a, c], Transcript.enrolment(requestHash: a, shown: c)),
            entry(
                "sf-op, context 2, sfId, epoch 1, payload", [instance.bytes, c],
                Transcript.operation(.firstSet, instance: instance, epoch: 1, payload: c)),
            entry(
                "sf-proof input, context 1, sfId, attemptId, sessHash", [instance.bytes, attempt.bytes, a],
                signatureInput(
                    .secondFactorProof, Transcript.secondFactorProof(instance: instance, attempt: attempt, context: .verify, sessionHash: a))),
            entry("nonceHash of the text of the input", [Array("QUJDREVGR0hJSktMTU5PUA".utf8)], Transcript.nonce("QUJDREVGR0hJSktMTU5PUA")),
            entry("LoginLink, qrSecret", [b], link.encoded),
            entry(
                "return code: HMAC(return), sidKey, sid, accountId, SHA(L5 without devSig), first 16 bytes",
                [a, link.sessionID.bytes, account.bytes, b], Array(MAC(key: a, .return, link.sessionID.bytes + account.bytes + b).prefix(16))),
            entry(
                "number of a pushed session: 100 + n mod 900 as text, n the first 8 bytes of HMAC(number), sidKey, sid",
                [a, link.sessionID.bytes], number(MAC(key: a, .number, link.sessionID.bytes))),
            entry("jkt (RFC 7638) of a P-256 key, X9.63", [TokenKeyTests.publicKey], TokenKey(publicKey: TokenKeyTests.publicKey).thumbprint),
            entry(
                "requestid of a Data Service: H(call) over accountId, callId, SHA(payload)", [account.bytes, session.bytes, c],
                H(.call, account.bytes + session.bytes + SHA(c))),
            entry("account of an UpgradeLink: acct, accountId, enrolId", [account.bytes, session.bytes], upgrade.accountMark),
        ]
    }

    /// Three digits of a MAC (protocol §6).
    private static func number(_ mac: [UInt8]) -> [UInt8] {
        Array(String(100 + mac.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 900).utf8)
    }

    @Test("Every derivation gives the stated bytes")
    func read() throws {
        let stated = try VectorFiles.read([Derivation].self, Self.file)
        #expect(try Self.computed() == stated)
    }
}
