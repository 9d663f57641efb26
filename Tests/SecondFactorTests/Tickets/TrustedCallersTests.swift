import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Chains of callers")
struct TrustedCallersTests {
    private let signed: SignedFixture
    private let callers: TrustedCallers

    init() throws {
        signed = try SignedFixture()
        callers = TrustedCallers([signed.server.root.root.hash])
    }

    private func chain(_ keys: [OperatorKey], of server: SignedFixture.Server) -> Encoded<ServerChain> {
        Encoded(
            ServerChain(
                root: server.root.root, certificates: keys.map { server.root.certify($0, from: signed.now - 60, until: signed.now + 86_400) }))
    }

    @Test("A chain that was seen is known again, and the next one of the same root is looked at by itself: a new key counts with it, not before")
    func renewed() throws {
        let (first, second) = (signed.server.key, try OperatorKey(seed: Filled(0x99).bytes(32)))
        let (old, new) = (chain([first], of: signed.server), chain([first, second], of: signed.server))
        for _ in 0..<2 {
            let caller = try #require(callers.caller(old))
            #expect(caller.server == signed.owner)
            #expect(caller.keys.hasKey(first.id, at: signed.now))
            #expect(!caller.keys.hasKey(second.id, at: signed.now))
        }
        for _ in 0..<2 {
            let caller = try #require(callers.caller(new))
            #expect(caller.keys.hasKey(second.id, at: signed.now))
        }
        let again = try #require(callers.caller(old))
        #expect(!again.keys.hasKey(second.id, at: signed.now))
    }

    @Test("Beside a chain that is known, one with any bit changed is no caller's, however often it is shown")
    func changed() throws {
        let right = chain([signed.server.key], of: signed.server)
        #expect(callers.caller(right) != nil)
        for place in right.bytes.indices {
            var bytes = right.bytes
            bytes[place] ^= 1
            guard let wrong = try? Encoded<ServerChain>(decoding: bytes) else { continue }
            for _ in 0..<2 { #expect(callers.caller(wrong) == nil, "byte \(place)") }
        }
        #expect(callers.caller(right) != nil)
    }

    @Test("A root that is not trusted is nobody, also after it was shown before")
    func stranger() throws {
        let other = chain([signed.other.key], of: signed.other)
        for _ in 0..<2 { #expect(callers.caller(other) == nil) }
    }
}
