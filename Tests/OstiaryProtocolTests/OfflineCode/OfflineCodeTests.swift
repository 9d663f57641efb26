import OstiaryProtocol
import Testing

@Suite("Offline codes")
struct OfflineCodeTests {
    static let folder = VectorFolder("offline")
    static let time = Instant(1_800_000_000)
    static let key = SecretBytes(Array(0..<32))
    static let session = OfflineSession(serverTag: [1, 2, 3, 4], id: SessionID(Array(16..<32))!)

    @Test("Every scenario of Vectors/offline comes out as written", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            switch try given.text("operation") {
            case "code": (.ok, try Self.code(given))
            case "parse": try Self.parsed(given)
            default: try Self.clock(given)
            }
        }
    }

    private static func code(_ given: Given) throws -> [String: VectorValue] {
        let moment = Instant(try given.number("time"))
        let code = OfflineCode(
            reference: UInt32(try given.number("otpRef")), key: try given.secret("otpKey"),
            session: OfflineSession(serverTag: try given.bytes("srvTag"), id: try #require(SessionID(try given.bytes("sid")))),
            interval: OfflineCode.interval(at: moment), length: try length(given))
        return ["interval": .number(OfflineCode.interval(at: moment)), "text": .text(code.exposed)]
    }

    private static func parsed(_ given: Given) throws -> VectorFolder.Outcome {
        guard let typed = try? TypedOfflineCode(try given.text("text"), length: try length(given)) else { return (.malformed, [:]) }
        return (.ok, ["otpRef": .number(UInt64(typed.reference)), "code": .number(typed.exposed)])
    }

    private static func clock(_ given: Given) throws -> VectorFolder.Outcome {
        let link = LoginLink(
            serverTag: [1, 2, 3, 4], sessionID: session.id, issuedAt: UInt32(try given.number("issuedAt")), frame: UInt16(try given.number("t")),
            binding: try #require(Binding(rawValue: UInt8(try given.number("bind")))), qrSecret: [])
        let elapsed = try given.number("elapsed")
        guard let clock = OfflineClock(link, wall: Instant(try given.number("clock"))), let interval = clock.interval(after: elapsed)
        else { return (.malformed, [:]) }
        return (.ok, ["interval": .number(interval), "left": .number(clock.secondsLeft(after: elapsed))])
    }

    private static func length(_ given: Given) throws -> OfflineCodeLength {
        try #require(OfflineCodeLength(rawValue: Int(try given.number("characters"))))
    }

    @Test("No file was lost")
    func complete() { #expect(Self.folder.names.count == 35) }

    static func code(
        _ reference: UInt32 = 7, _ key: SecretBytes = key, _ session: OfflineSession = session, at moment: Instant = time,
        _ length: OfflineCodeLength = .six
    ) -> OfflineCode {
        OfflineCode(reference: reference, key: key, session: session, interval: OfflineCode.interval(at: moment), length: length)
    }

    static func typed(_ code: OfflineCode, _ length: OfflineCodeLength = .six) throws -> TypedOfflineCode {
        try TypedOfflineCode(code.exposed, length: length)
    }

    @Test("S2-13, S2-14 another session, server, account or reference has another code")
    func bound() throws {
        let typed = try Self.typed(Self.code())
        #expect(Self.code().matches(typed))
        #expect(!Self.code(8).matches(typed))
        #expect(!Self.code(7, SecretBytes(Array(1..<33))).matches(typed))
        #expect(!Self.code(7, Self.key, OfflineSession(serverTag: [1, 2, 3, 4], id: SessionID(Array(17..<33))!)).matches(typed))
        #expect(!Self.code(7, Self.key, OfflineSession(serverTag: [1, 2, 3, 5], id: Self.session.id)).matches(typed))
    }

    @Test("S2-15, S2-16 the code is another one every two minutes, and the same for all of them")
    func intervals() throws {
        let typed = try Self.typed(Self.code())
        #expect(Self.code(at: Self.time + 119).matches(typed))
        #expect(!Self.code(at: Self.time + 120).matches(typed))
        #expect(!Self.code(at: Self.time - 1).matches(typed))
    }

    @Test("S2-19, S2-20, S2-21, S2-44 six characters name the account and six are the code, in two groups, without I, L, O and U")
    func form() throws {
        for number in UInt64(0)..<200 {
            let code = Self.code(UInt32(number * 5_368_709), at: Instant(number * 120)).exposed
            let groups = code.split(separator: " ", omittingEmptySubsequences: false)
            #expect(groups.map(\.count) == [6, 6])
            #expect(try Crockford.decode(String(groups[0]), bits: 30) == number * 5_368_709)
            #expect(code.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ ".contains($0) })
        }
    }

    @Test("S2-22 all thirty bits of the code count: changing any of them is another code")
    func everyBit() throws {
        let shown = Self.code().exposed
        let value = try Crockford.decode(String(shown.suffix(6)), bits: 30)
        for bit in UInt64(0)..<30 {
            let other = "\(shown.prefix(6)) \(Crockford.encode(value ^ 1 << bit, bits: 30))"
            #expect(!Self.code().matches(try TypedOfflineCode(other, length: .six)))
        }
    }

    @Test("S2-23 the longer code has eight characters, is a longer form of the other, and neither is taken for the other")
    func longer() throws {
        let (six, eight) = (Self.code().exposed, Self.code(at: Self.time, .eight).exposed)
        #expect(eight.count == 15)
        #expect(eight.hasPrefix(six))
        #expect(Self.code(at: Self.time, .eight).matches(try TypedOfflineCode(eight, length: .eight)))
        #expect(throws: CrockfordError.wrongLength) { try TypedOfflineCode(eight, length: .six) }
        #expect(throws: CrockfordError.wrongLength) { try TypedOfflineCode(six, length: .eight) }
    }

    @Test("S2-24 what people make of it when they type is the same code: small letters, spaces, hyphens, O for 0, I and L for 1")
    func typing() throws {
        let typed = try TypedOfflineCode("OIL-2xp p7qr5o", length: .six)
        #expect(UInt64(typed.reference) == (try Crockford.decode("0112XP", bits: 30)))
        #expect(typed.exposed == (try Crockford.decode("P7QR50", bits: 30)))
    }

    @Test("What cannot be a code is told from a wrong one, with its reason")
    func malformed() {
        #expect(throws: CrockfordError.unexpectedCharacter) { try TypedOfflineCode("2XPP7Q R5BDDU", length: .six) }
        #expect(throws: CrockfordError.wrongLength) { try TypedOfflineCode("2XPP7Q R5BDD", length: .six) }
        #expect(throws: CrockfordError.wrongLength) { try TypedOfflineCode("", length: .six) }
    }

    @Test("A code prints as ‹secret›, made or typed")
    func secret() throws {
        let code = Self.code()
        #expect("\(code) \(try Self.typed(code))" == "‹secret› ‹secret›")
        #expect(!String(reflecting: code).contains(code.exposed.suffix(6)))
    }
}
