import OstiaryProtocol
import Testing

@Suite("Links (protocol §3)")
struct LinkTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    @Test("A login link has 37 bytes and its maker knows it again")
    func login() throws {
        let secret = samples.bytes(32)
        let link = Encoded(
            LoginLink(
                serverTag: samples.server.root.tag, sessionID: samples.session, issuedAt: 9, frame: 4, binding: .qrDynamic, qrSecret: secret))
        #expect(link.bytes.count == LoginLink.count)
        #expect(link.isGenuine(qrSecret: secret))
        #expect(!link.isGenuine(qrSecret: samples.bytes(32)))
    }

    @Test("Any flipped bit of a login link is noticed")
    func tampered() throws {
        let secret = samples.bytes(32)
        let bytes = LoginLink(
            serverTag: samples.server.root.tag, sessionID: samples.session, issuedAt: 9, frame: 0, binding: .qrStatic, qrSecret: secret
        ).encoded
        for index in bytes.indices {
            for bit in 0..<8 {
                var copy = bytes
                copy[index] ^= 1 << UInt8(bit)
                if let link = try? Encoded<LoginLink>(decoding: copy) { #expect(!link.isGenuine(qrSecret: secret)) }
            }
        }
    }

    @Test("A link is found in a QR code's bytes, in a web address and in bare text")
    func forms() throws {
        let bytes = samples.loginLink().bytes
        for link in [
            try Link(decoding: bytes), try Link(text: Link.text(of: bytes, at: "https://door.example")), try Link(text: Base64URL.encode(bytes)),
        ] {
            guard case .login(let login) = link else {
                Issue.record("not a login link")
                continue
            }
            #expect(login.bytes == bytes)
        }
    }

    @Test("An enrolment link is told apart from a login link")
    func enrol() throws {
        let made = EnrolLink(
            rootHash: samples.server.root.hash, enrolID: EnrolmentID(using: FixedRandom(4)), enrolSecret: samples.bytes(16),
            url: "https://door.example")
        guard case .enrol(let read) = try Link(decoding: made.encoded) else {
            Issue.record("not an enrolment link")
            return
        }
        #expect(read == made)
        #expect(made.encoded.count <= 100)
    }

    @Test("The link of an upgrade is of a kind of its own, and names its account to the phone that has it and to nobody else")
    func upgrade() throws {
        let account = AccountID(using: FixedRandom(5))
        let enrol = EnrolLink(
            rootHash: samples.server.root.hash, enrolID: EnrolmentID(using: FixedRandom(4)), enrolSecret: samples.bytes(16),
            url: "https://door.example")
        let made = UpgradeLink(enrol, of: account)
        guard case .upgrade(let read) = try Link(text: Link.text(of: made.encoded, at: "https://door.example")) else {
            Issue.record("not the link of an upgrade")
            return
        }
        #expect(read == made && read.enrol == enrol)
        #expect(read.selects(account) && !read.selects(AccountID(using: FixedRandom(6))))
        let other = EnrolLink(rootHash: enrol.rootHash, enrolID: EnrolmentID(using: FixedRandom(7)), enrolSecret: enrol.enrolSecret, url: enrol.url)
        #expect(UpgradeLink(other, of: account).accountMark != made.accountMark, "two links of one account tell nobody that they are")
        #expect(throws: WireError.badType) { try EnrolLink(decoding: made.encoded) }
        #expect(throws: WireError.badType) { try UpgradeLink(decoding: enrol.encoded) }
    }

    @Test("Text that is no link is refused", arguments: ["", "#", "https://door.example/l", "https://door.example/l#", "hello world", "AQ"])
    func noLink(_ text: String) {
        #expect(throws: WireError.self) { try Link(text: text) }
    }
}
