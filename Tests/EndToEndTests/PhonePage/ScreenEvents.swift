import Foundation

@testable import OstiaryMobile
@testable import OstiaryPhone

/// What an SDK could tell, for tests of what is made of it.
enum ScreenEvents {
    static let now = ContinuousClock.now

    static func session(isEnrolment: Bool = false, _ change: (inout Session) -> Void = { _ in }) -> Session {
        var session = Session(id: UUID(), isEnrolment: isEnrolment)
        session.info.serviceName = "Hallway"
        session.info.serverName = "Timesheets"
        change(&session)
        return session
    }

    static func changed(_ session: Session, _ change: (inout Session) -> Void) -> Session {
        var session = session
        change(&session)
        return session
    }

    static func account(_ name: String = "alice") -> Account {
        Account(
            id: Account.ID(rawValue: "id of \(name)"), username: name, displayName: name, serverName: "Timesheets", serverURL: "http://localhost:1",
            serverIdentity: "identity", state: .active, hasSecondFactor: true, createdAt: 0)
    }

    static func info(
        _ context: SecondFactorInfo.Context = .verify, _ result: SecondFactorInfo.Result? = nil, retry: Bool = true, blocked: Bool = false,
        failed: Int = 0, penalty: Int = 0, biometrics: Bool = false
    ) -> SecondFactorInfo {
        SecondFactorInfo(
            context: context, result: result, retry: retry, blocked: blocked, maxAttempts: 5, failedAttempts: failed, penalisedFor: penalty,
            showBiometrics: biometrics)
    }

    static func factor(_ info: SecondFactorInfo, _ session: Session?, stopped: Bool = false) -> SecondFactor {
        SecondFactor(stopped: stopped, secondFactorInfo: info, session: session)
    }
}

extension PhoneScreen {
    /// One that asks for the PIN of a login.
    /// - Parameter failed: tries that were used up before.
    static func asking(for session: Session, failed: Int = 0) -> PhoneScreen {
        var screen = PhoneScreen()
        screen.take(.secondFactorStarted(ScreenEvents.factor(ScreenEvents.info(failed: failed), session)))
        return screen
    }

    /// The next answer to a PIN of that login.
    mutating func hear(_ result: SecondFactorInfo.Result, failed: Int, penalty: Int = 0, of session: Session) {
        take(.secondFactorUpdated(ScreenEvents.factor(ScreenEvents.info(.verify, result, failed: failed, penalty: penalty), session)))
    }

    /// Takes events one after the other at one moment.
    mutating func take(_ events: OstiaryEvent..., at now: ContinuousClock.Instant = ScreenEvents.now) {
        for event in events { take(event, at: now) }
    }

    var factor: SecondFactorInfo? { if case .factor(let factor) = asked { factor.secondFactorInfo } else { nil } }
    var texts: [String] { notices.map(\.text) }
}
