import OstiaryProtocol
import Testing

/// Which operational key signs while several are valid, protocol §1.
@Suite("The operational key that signs")
struct SigningKeyTests {
    private static let day: UInt64 = 86_400
    private static let start = Instant(1_800_000_000)

    private static func certificate(_ number: UInt8, from: UInt64, until: UInt64) throws -> OperatorCertificate {
        let id = try #require(ServerID([UInt8](repeating: 1, count: 16)))
        let root = try RootKey(seed: [UInt8](repeating: 1, count: 32), serverID: id)
        return root.certify(try OperatorKey(seed: [UInt8](repeating: number, count: 32)), from: start + from * day, until: start + until * day)
    }

    @Test("The first signs at once; the next after three days of being published; neither before it is valid nor after its end")
    func succession() throws {
        let (first, second) = (try Self.certificate(2, from: 0, until: 90), try Self.certificate(3, from: 60, until: 150))
        for both in [[first, second], [second, first]] {
            func signer(_ day: UInt64, _ seconds: UInt64 = 0) -> OperatorCertificate? {
                OperatorCertificate.signing(of: both, at: Self.start + day * Self.day + seconds)
            }
            #expect(OperatorCertificate.signing(of: both, at: Self.start - 1) == nil)
            #expect(signer(0) == first)
            #expect(signer(60) == first)
            #expect(signer(62, Self.day - 1) == first)
            #expect(signer(63) == second)
            #expect(signer(91) == second)
            #expect(signer(150) == second)
            #expect(signer(150, 1) == nil)
        }
        #expect(OperatorCertificate.signing(of: [second], at: Self.start + 60 * Self.day) == second, "the only one does not wait")
    }

    @Test("When only young ones are left, the one signs that phones met first")
    func onlyYoung() throws {
        let (older, younger) = (try Self.certificate(2, from: 10, until: 100), try Self.certificate(3, from: 11, until: 101))
        #expect(OperatorCertificate.signing(of: [younger, older], at: Self.start + 11 * Self.day) == older)
        #expect(OperatorCertificate.signing(of: [younger, older], at: Self.start + 14 * Self.day) == younger)
    }

    @Test("Where it stands is told among all that there are, those that are over or not valid yet included")
    func place() throws {
        let (over, first, second, later) = (
            try Self.certificate(4, from: 0, until: 20), try Self.certificate(2, from: 10, until: 100), try Self.certificate(3, from: 40, until: 130),
            try Self.certificate(5, from: 70, until: 160)
        )
        let all = [over, later, first, second]
        for (day, place) in [(0, 0), (12, 0), (15, 2), (41, 2), (43, 3), (71, 3), (73, 1), (161, nil)] as [(UInt64, Int?)] {
            let now = Self.start + day * Self.day
            #expect(OperatorCertificate.signingPlace(among: all, at: now) == place, "day \(day)")
            #expect(OperatorCertificate.signing(of: all, at: now) == place.map { all[$0] }, "day \(day)")
        }
    }
}
