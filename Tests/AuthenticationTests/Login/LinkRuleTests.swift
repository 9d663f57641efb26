import Authentication
import OstiaryProtocol
import Testing

@Suite("LinkRule")
struct LinkRuleTests {
    private static let issued = DomainFixture.start
    private static let tag: [UInt8] = [1, 2, 3, 4]
    private static let secret = [UInt8](repeating: 5, count: 32)

    private func link(_ binding: Binding, frame: UInt16 = 0, tag: [UInt8] = tag, secret: [UInt8] = secret) throws -> Encoded<LoginLink> {
        let session = try present(SessionID([UInt8](repeating: 7, count: 16)))
        return Encoded(
            LoginLink(
                serverTag: tag, sessionID: session, issuedAt: UInt32(Self.issued.seconds), frame: frame, binding: binding, qrSecret: secret))
    }

    private func rule(staticAge: UInt64 = 90, strict: Bool = false, hasPage: Bool = false) -> LinkRule {
        LinkRule(serverTag: Self.tag, linkSecret: Self.secret, staticAge: staticAge, refusesUnboundLinks: strict, hasPage: hasPage)
    }

    private func refusal(_ rule: LinkRule, _ link: Encoded<LoginLink>, via: Via, after seconds: UInt64 = 0) -> Refusal? {
        do { _ = try rule.binding(of: link, via: via, at: Self.issued + seconds) } catch { return error }
        return nil
    }

    @Test("A moving frame is a dynamic code for ten seconds, then a standing one for ninety, then too old")
    func moving() throws {
        let frame = try link(.qrDynamic, frame: 40)
        #expect(try rule().binding(of: frame, via: .scan, at: Self.issued + 50) == .qrDynamic)
        #expect(try rule().binding(of: frame, via: .scan, at: Self.issued + 51) == .qrStatic)
        #expect(try rule().binding(of: frame, via: .scan, at: Self.issued + 130) == .qrStatic)
        #expect(refusal(rule(), frame, via: .scan, after: 131) == .linkOld)
    }

    @Test("A page was given its frames ahead: they are dynamic for five seconds, and what follows is as ever")
    func movingOfPage() throws {
        let frame = try link(.qrDynamic, frame: 40)
        #expect(try rule(hasPage: true).binding(of: frame, via: .scan, at: Self.issued + 45) == .qrDynamic)
        #expect(try rule(hasPage: true).binding(of: frame, via: .scan, at: Self.issued + 46) == .qrStatic)
        #expect(refusal(rule(staticAge: 0, hasPage: true), frame, via: .scan, after: 46) == .linkOld)
        #expect(refusal(rule(hasPage: true), frame, via: .scan, after: 37) == .linkEarly)
    }

    @Test("Where standing codes are not allowed, a frame is good for its ten seconds only")
    func onlyMoving() throws {
        let frame = try link(.qrDynamic)
        #expect(refusal(rule(staticAge: 0), frame, via: .scan, after: 10) == nil)
        #expect(refusal(rule(staticAge: 0), frame, via: .scan, after: 11) == .linkOld)
        #expect(refusal(rule(staticAge: 0), try link(.qrStatic), via: .scan) == .linkOld)
    }

    @Test("A code of the future is refused, by whatever way it comes; two seconds are the difference of two clocks", arguments: [Via.scan, .link])
    func early(via: Via) throws {
        let moving = try link(.qrDynamic, frame: 40)
        #expect(refusal(rule(), moving, via: via, after: 37) == .linkEarly)
        #expect(refusal(rule(), moving, via: via, after: 38) == nil)
        #expect(refusal(rule(), try link(.qrDynamic, frame: .max), via: via) == .linkEarly)
        #expect(refusal(rule(), try link(.qrStatic, frame: 3), via: via) == .linkEarly)
        #expect(Refusal.linkEarly.status == .linkOld)
    }

    @Test("A standing code never counts as a moving one, and lives as long as the server says")
    func standing() throws {
        #expect(try rule().binding(of: try link(.qrStatic), via: .scan, at: Self.issued) == .qrStatic)
        #expect(refusal(rule(), try link(.qrStatic), via: .scan, after: 90) == nil)
        #expect(refusal(rule(), try link(.qrStatic), via: .scan, after: 91) == .linkOld)
        #expect(refusal(rule(staticAge: 300), try link(.qrStatic), via: .scan, after: 300) == nil)
    }

    @Test("A code opened as a link is unbound, and refused where links are strict", arguments: [Binding.qrDynamic, .qrStatic, .unboundLink])
    func asLink(binding: Binding) throws {
        #expect(try rule().binding(of: try link(binding), via: .link, at: Self.issued + 90) == .unboundLink)
        #expect(refusal(rule(), try link(binding), via: .link, after: 91) == .linkOld)
        #expect(refusal(rule(strict: true), try link(binding), via: .link) == .linkNotAllowed)
    }

    @Test("A link that is to be tapped is not scanned")
    func scannedLink() throws {
        #expect(refusal(rule(), try link(.unboundLink), via: .scan) == .linkNotAllowed)
    }

    @Test("Ways in that this version does not serve are refused", arguments: [Binding.returnCode, .push, .app])
    func notServed(binding: Binding) throws {
        #expect(refusal(rule(), try link(binding), via: .scan) == .linkNotAllowed)
        #expect(refusal(rule(), try link(binding), via: .link) == .linkNotAllowed)
        #expect(refusal(rule(), try link(.qrStatic), via: .push) == .linkNotAllowed)
        #expect(refusal(rule(), try link(.qrStatic), via: .app) == .linkNotAllowed)
    }

    @Test("On a page's session the button's link alone may be tapped, at any age, and no link of it is ever unbound")
    func ofPage() throws {
        for strict in [false, true] {
            let rule = rule(staticAge: 0, strict: strict, hasPage: true)
            #expect(try rule.binding(of: try link(.returnCode), via: .link, at: Self.issued + 100_000) == .returnCode)
            #expect(refusal(rule, try link(.returnCode), via: .scan) == .linkNotAllowed)
            #expect(try rule.binding(of: try link(.qrDynamic), via: .scan, at: Self.issued) == .qrDynamic)
            for other in [Binding.qrDynamic, .qrStatic, .unboundLink, .push, .app] {
                #expect(refusal(rule, try link(other), via: .link) == .linkNotAllowed)
            }
        }
    }

    @Test("A link of another server is foreign, whoever made its mac")
    func foreign() throws {
        #expect(refusal(rule(), try link(.qrStatic, tag: [1, 2, 3, 5]), via: .scan) == .linkForeign)
    }

    @Test("A link whose mac this server did not make is forged, before its age is looked at")
    func forged() throws {
        let forged = try link(.qrStatic, secret: [UInt8](repeating: 6, count: 32))
        #expect(refusal(rule(), forged, via: .scan) == .linkForged)
        #expect(refusal(rule(), forged, via: .scan, after: 1_000) == .linkForged)
    }

    @Test("Whatever bit of a link is changed, it is not taken")
    func flipped() throws {
        let genuine = try link(.qrStatic).bytes
        for index in genuine.indices {
            for bit in 0..<8 {
                var bytes = genuine
                bytes[index] ^= 1 << bit
                guard let changed = try? Encoded<LoginLink>(decoding: bytes) else { continue }
                #expect([.linkForged, .linkForeign].contains(refusal(rule(), changed, via: .scan)), "bit \(bit) of byte \(index)")
            }
        }
    }
}
