import Foundation
import Testing

@testable import OstiaryMobile
@testable import ostiary

@Suite("What the phone tells a person")
struct PhoneTextTests {
    private func ended(_ ending: Session.Ending, wasLoggedIn: Bool, isEnrolment: Bool = false) -> String {
        var session = Session(id: UUID(), isEnrolment: isEnrolment)
        session.info.serviceName = "Shop"
        session.wasLoggedIn = wasLoggedIn
        session.isReturning = !wasLoggedIn
        session.end(as: ending)
        return OstiaryEvent.sessionStop(session).lines.joined()
    }

    @Test("A login that was confirmed and whose browser did not come back in time says that, and where to start again")
    func browserTooLate() {
        #expect(
            ended(.timeout, wasLoggedIn: false)
                == "Shop: over (the login was confirmed here, but the browser did not come back in time: start again there)")
        #expect(ended(.timeout, wasLoggedIn: true) == "Shop: over (the phone did not answer in time)")
        #expect(ended(.timeout, wasLoggedIn: false, isEnrolment: true) == "Shop: over (the phone did not answer in time)")
        #expect(ended(.server, wasLoggedIn: false) == "Shop: over (ended by the server)")
    }

    private func told(_ result: SecondFactorInfo.Result, stopped: Bool, _ context: SecondFactorInfo.Context = .verify) -> [String] {
        event(result, stopped: stopped, context).lines
    }

    private func event(_ result: SecondFactorInfo.Result, stopped: Bool, _ context: SecondFactorInfo.Context = .verify) -> OstiaryEvent {
        let info = SecondFactorInfo(
            context: context, result: result, retry: !stopped, blocked: false, maxAttempts: 5, failedAttempts: 1, penalisedFor: 0,
            showBiometrics: false)
        return .secondFactorUpdated(SecondFactor(stopped: stopped, secondFactorInfo: info, session: nil))
    }

    @Test("To a script it is the result ERROR")
    func errorForScripts() {
        #expect(event(.error, stopped: false).json?.text.contains(#""result":"ERROR""#) == true)
        #expect(event(.failed, stopped: false).json?.text.contains(#""result":"FAILED""#) == true)
    }

    @Test("That the PIN cannot be checked at the moment is told while it may be typed again; what ended the question tells its own reason")
    func oneReason() {
        let unavailable = "the PIN cannot be checked at the moment: try again later"
        #expect(told(.error, stopped: false) == [unavailable + " (at most one try was counted, which the next right PIN gives back)"])
        #expect(told(.error, stopped: true) == [])
        #expect(told(.failed, stopped: true) == ["wrong PIN: 4 of 5 tries left"])
        #expect(told(.success, stopped: true, .pinChangeSet) == ["\u{2713} the PIN is changed"])
    }

    @Test("A line feed in a text of others begins no line that looks like one of the phone's")
    func lineFeeds() {
        var session = Session(id: UUID())
        session.info.serviceName = "Shop\nNew account Mallory at Shop"
        session.info.announceInfo = ["amount": "10 EUR\n\u{2713} logged in as Alice", "a\nb": ""]
        let lines = OstiaryEvent.confirmLogin(session, accounts: []).lines
        #expect(
            lines == [
                "Log in to Shop\n    | New account Mallory at Shop", "a\n    | b: ", "amount: 10 EUR\n    | \u{2713} logged in as Alice",
            ])
        #expect("one line".withMarkedContinuation == "one line" && "\n\n".withMarkedContinuation == "\n    | \n    | ")
    }
}
