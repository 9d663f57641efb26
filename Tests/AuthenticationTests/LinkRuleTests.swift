import Authentication
import OstiaryProtocol
import Testing

@Suite("Login links (protocol §3, §6.1)")
struct LinkRuleTests {
    private static let issued: UInt32 = 1_000
    private let secret = [UInt8](repeating: 7, count: 32)

    private func link(_ binding: Binding, frame: UInt16 = 0, tag: [UInt8] = [1, 2, 3, 4], secret: [UInt8]? = nil) -> Encoded<LoginLink> {
        Encoded(
            LoginLink(
                serverTag: tag, sessionID: SessionID([UInt8](repeating: 5, count: 16))!, issuedAt: Self.issued, frame: frame, binding: binding,
                qrSecret: secret ?? self.secret))
    }

    private func rule(staticAge: UInt64 = 90, strict: Bool = false) -> LinkRule {
        LinkRule(serverTag: [1, 2, 3, 4], linkSecret: secret, staticAge: staticAge, refusesUnboundLinks: strict)
    }

    @Test(
        "A frame counts as moving for ten seconds, as still for ninety, and then is old",
        arguments: [(UInt64(0), Binding?.some(.qrDynamic)), (10, .qrDynamic), (11, .qrStatic), (90, .qrStatic), (91, nil)])
    func age(seconds: UInt64, binding: Binding?) {
        #expect((try? rule().binding(of: link(.qrDynamic, frame: 30), via: .scan, at: Instant(1_030 + seconds))) == binding)
    }

    @Test("Where still codes are not allowed, a frame of eleven seconds is old")
    func stillNotAllowed() {
        #expect(throws: Refusal.linkOld) { try rule(staticAge: 0).binding(of: link(.qrDynamic), via: .scan, at: Instant(1_011)) }
        #expect(throws: Refusal.linkOld) { try rule(staticAge: 0).binding(of: link(.qrStatic), via: .scan, at: Instant(1_000)) }
    }

    @Test("A code opened as a link is an unbound link, and strict servers refuse it")
    func opened() throws {
        for binding in [Binding.qrDynamic, .qrStatic, .unboundLink] {
            #expect(try rule().binding(of: link(binding), via: .link, at: Instant(1_005)) == .unboundLink)
            #expect(throws: Refusal.linkNotAllowed) { try rule(strict: true).binding(of: link(binding), via: .link, at: Instant(1_005)) }
        }
    }

    @Test("A link of another server, a forged one and one of a kind that was never given out are told apart")
    func refused() {
        #expect(throws: Refusal.linkForeign) { try rule().binding(of: link(.qrStatic, tag: [9, 9, 9, 9]), via: .scan, at: Instant(1_000)) }
        #expect(throws: Refusal.linkForged) {
            try rule().binding(of: link(.qrStatic, secret: [UInt8](repeating: 8, count: 32)), via: .scan, at: Instant(1_000))
        }
        for binding in [Binding.returnCode, .push, .app, .unboundLink] {
            #expect(throws: Refusal.linkNotAllowed) { try rule().binding(of: link(binding), via: .scan, at: Instant(1_000)) }
        }
        #expect(throws: Refusal.linkNotAllowed) { try rule().binding(of: link(.qrStatic), via: .push, at: Instant(1_000)) }
    }

    @Test("Every bit of a link is under its mac")
    func everyBit() throws {
        let genuine = link(.qrDynamic, frame: 3)
        for index in genuine.bytes.indices {
            for bit in 0..<8 {
                var bytes = genuine.bytes
                bytes[index] ^= 1 << bit
                guard let forged = try? Encoded<LoginLink>(decoding: bytes) else { continue }
                #expect(!forged.isGenuine(qrSecret: secret))
            }
        }
    }
}
