import Authentication
import OstiaryProtocol
import Testing

@Suite("Enrolment machine, explored")
struct EnrolmentExplorationTests {
    private static let start = Instant(1_000)

    private static func claim(_ phone: UInt8) -> Enrolment.Claim {
        Enrolment.Claim(
            deviceKey: [phone], device: "phone \(phone)", app: "", account: AccountID([UInt8](repeating: phone, count: 16))!,
            serverShare: StoredSecret([]),
            enrolHash: [phone], ephemeral: [phone])
    }

    private static let enrolment = Enrolment(
        id: EnrolmentID([UInt8](repeating: 1, count: 16))!, server: ServerID([UInt8](repeating: 2, count: 16))!, secretHash: [], nonceHash: [],
        stream: StreamID([UInt8](repeating: 3, count: 16))!, userID: nil, displayName: "Alice", expiresAt: start + Enrolment.life)

    private static let events: [EnrolmentEvent] = [
        .claim(claim(1)), .claim(claim(2)), .decline(.decline), .finish(.init(decision: [1], verifiedAt: start)),
        .activate(.init(at: start, session: SessionID([UInt8](repeating: 4, count: 16))!)), .wrongCode, .delete,
    ]

    @Test("Every order of seven events and of time: one phone at a time, three codes, ten minutes, and no way back")
    func everyOrder() {
        var frontier = [(Self.enrolment, Self.start)]
        for _ in 0..<7 {
            var next: [(Enrolment, Instant)] = []
            for (enrolment, now) in frontier {
                if now < Self.start + 1_500 { next.append((enrolment, now + 500)) }
                for event in Self.events {
                    guard let after = try? enrolment.after(event, at: now) else { continue }
                    check(enrolment.settled(at: now), event, after)
                    next.append((after, now))
                }
            }
            frontier = next.reduce(into: []) { unique, item in
                if !unique.contains(where: { $0.0 == item.0 && $0.1 == item.1 }) { unique.append(item) }
            }
        }
        #expect(frontier.count > 20)
    }

    private func check(_ before: Enrolment, _ event: EnrolmentEvent, _ after: Enrolment) {
        switch (before.state, event) {
        case (.failed, _), (.active, _): Issue.record("a finished enrolment took \(event)")
        case (.open, .claim), (.claimed, .decline), (.claimed, .finish), (.confirming, .activate), (.confirming, .delete): break
        case (.claimed(let first), .claim(let second)): #expect(first.deviceKey == second.deviceKey)
        case (.confirming, .wrongCode):
            #expect(after.wrongCodes == before.wrongCodes + 1)
            if after.wrongCodes == 3 { #expect(after.progress == .failed(.wrongCodes)) }
        case (.open, _), (.claimed, _), (.confirming, _): Issue.record("\(before.progress) took \(event)")
        }
    }

    @Test("A link of more than ten minutes is old")
    func old() {
        #expect(throws: Refusal.enrolmentOld) { try Self.enrolment.after(.claim(Self.claim(1)), at: Self.start + 601) }
    }
}
