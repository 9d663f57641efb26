import AuthServer
import Authentication
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

/// On one engine: what is refused here is refused before a row is asked for, or because there is none.
@Suite("Attack 15: malformed input")
struct MalformedInputTests {
    @Test("Random bytes are 400, whatever their length")
    func randomBytes() async throws {
        try await ServersFixture.run { servers async throws in
            let random = SystemRandomSource()
            for count in [0, 1, 4, 11, 12, 43, 44, 131, 132, 133, 300, 4_096, 65_535] {
                #expect(try await servers.post(random.bytes(count)).status == .badRequest)
            }
        }
    }

    @Test("A true header with random bytes behind it is 400; with an unknown prekey it is 409 and the signed bundle")
    func headers() async throws {
        try await ServersFixture.run { servers async throws in
            let bundle = try await servers.bundle()
            let prekey = try #require(bundle.prekey(at: servers.now))
            let random = SystemRandomSource()
            let known = RequestHeader(serverTag: bundle.bundle.chain.root.tag, prekeyID: prekey.id).encoded
            #expect(try await servers.post(known + random.bytes(200)).status == .badRequest)
            let unknown = RequestHeader(serverTag: bundle.bundle.chain.root.tag, prekeyID: prekey.id &+ 1).encoded
            let outdated = try await servers.post(unknown + random.bytes(200))
            #expect(outdated.status == .conflict)
            _ = try VerifiedBundle.verify(Encoded(decoding: outdated.body), rootHash: servers.service.identityHash, at: servers.now)
            let foreign = RequestHeader(serverTag: [0, 0, 0, 0], prekeyID: prekey.id).encoded
            #expect(try await servers.post(foreign + random.bytes(200)).status == .badRequest)
        }
    }

    @Test("More than 64 KiB is 413")
    func large() async throws {
        try await ServersFixture.run { servers async throws in
            #expect(try await servers.post([UInt8](repeating: 1, count: 65_537)).status == .contentTooLarge)
        }
    }

    @Test("Every message type with random contents, properly sealed, is refused and changes nothing")
    func sealedNoise() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers)
            let random = SystemRandomSource()
            let before = try await servers.snapshot()
            for type in UInt8.min...UInt8.max {
                for count in [0, 1, 40, 300] {
                    let message = [1, type, 1, 1] + random.bytes(count)
                    #expect(try await phone.send(message, try TestPhone.ephemeral()).status == .refused)
                }
            }
            for message in [[], [1], [2, 0x20, 1, 1], [1, 0x20, 2, 1]] as [[UInt8]] {
                #expect(try await phone.send(message, try TestPhone.ephemeral()).status == .refused)
            }
            #expect(try await servers.snapshot() == before)
        }
    }

    @Test("Points and keys that are none are refused")
    func badPoints() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers)
            let link = try await servers.invite(try servers.nonce())
            for key in [[UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 255, count: 64)] {
                let e1 = E1(enrolID: link.enrolID, enrolSecret: link.enrolSecret, deviceKey: key, appInfo: "", osInfo: "")
                #expect(try await phone.send(e1.encoded, try TestPhone.ephemeral()).status == .refused)
            }
            let enrolled = try await phone.enrol(try servers.nonce())
            let shown = try await enrolled.scan(try await servers.link(try servers.nonce()))
            for element in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32)] {
                let question = try phone.raw.question(sessionHash: shown.sessionHash, blinded: element)
                let attempt = TestAttempt(question, account: enrolled.account, ephemeral: shown.ephemeral)
                #expect(try await phone.evaluate(attempt).status == .refused)
            }
        }
    }

    @Test("Addresses that name nothing are 404", arguments: ["/ap1/bundle/AAAA", "/ap1/bundle/%00", "/ap1/logo/xyz", "/ap1/logo/", "/ap1/bundle/"])
    func addresses(path: String) async throws {
        try await ServersFixture.run { servers async throws in
            #expect(try await servers.get(path).status == .notFound)
        }
    }
}
