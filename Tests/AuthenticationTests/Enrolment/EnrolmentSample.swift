import Authentication
import OstiaryProtocol

/// Hand-made enrolments at a given time, for rules that need no store.
enum EnrolmentSample {
    static let start = DomainFixture.start
    static let finish = Enrolment.Finish(decision: SHA([3]), verifiedAt: start)
    static let everything: [EnrolmentEvent] = [
        .claim(claim(1)), .claim(claim(2)), .decline(.decline), .finish(finish), .activate(activation), .wrongCode, .delete,
    ]

    static var activation: Enrolment.Activation { Enrolment.Activation(at: start, session: SessionSample.session().id) }

    static func account(_ number: UInt8) -> AccountID { SessionSample.account(number) }

    static func enrolment(_ state: Enrolment.State = .open) -> Enrolment {
        guard let id = EnrolmentID([UInt8](repeating: 5, count: 16)), let stream = StreamID([UInt8](repeating: 6, count: 16))
        else { preconditionFailure("sixteen bytes are an id") }
        return Enrolment(
            id: id, server: SessionSample.session().server, secretHash: SHA([4]), nonceHash: SHA([1]), stream: stream, userID: "alice",
            displayName: "Alice", expiresAt: start + Enrolment.life, state: state)
    }

    static func claim(_ phone: UInt8, account: UInt8? = nil, request: UInt8 = 1) -> Enrolment.Claim {
        Enrolment.Claim(
            deviceKey: [UInt8](repeating: phone, count: 65), device: "phone \(phone)", app: "app", account: self.account(account ?? phone),
            serverShare: StoredSecret([UInt8](repeating: phone, count: 32)), enrolHash: SHA([request]),
            ephemeral: [UInt8](repeating: request, count: 32))
    }
}

extension Enrolment {
    /// Why the enrolment does not take an event; nil when it does.
    func refusal(of event: EnrolmentEvent, at now: Instant) -> Refusal? {
        do { _ = try after(event, at: now) } catch { return error }
        return nil
    }
}
