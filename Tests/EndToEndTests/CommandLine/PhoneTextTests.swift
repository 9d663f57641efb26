import Foundation
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

@Suite("What the phone tells a person")
struct PhoneTextTests {
    private func ended(_ ending: Session.Ending, wasLoggedIn: Bool, isEnrolment: Bool = false) -> String {
        var session = Session(id: UUID(), isEnrolment: isEnrolment)
        session.info.serviceName = "Shop"
        session.wasLoggedIn = wasLoggedIn
        session.isReturning = !wasLoggedIn
        session.end(as: ending)
        return OstiaryEvent.sessionStop(session).lines(columns: 80).joined(separator: "\n")
    }

    @Test("A login that was confirmed and whose browser did not come back in time says that, and where to start again")
    func browserTooLate() {
        #expect(
            ended(.timeout, wasLoggedIn: false)
                == "over (the login was confirmed here, but the browser did not come back in time: start again there): Shop")
        #expect(ended(.timeout, wasLoggedIn: true) == "over (the phone did not answer in time): Shop")
        #expect(ended(.timeout, wasLoggedIn: false, isEnrolment: true) == "over (the phone did not answer in time): Shop")
        #expect(ended(.server, wasLoggedIn: false) == "over (ended by the server): Shop")
    }

    @Test("A code that the server does not take by its age is told as of another moment: a frame may be ahead of its time as well as too old")
    func anotherMoment() {
        let sentence = "the login code is of another moment, too old or not good yet: take the one that is shown now"
        #expect(OstiaryError.linkOld.sentence == sentence)
        #expect(OstiaryEvent.error(.linkOld, session: nil).lines(columns: 200) == ["\u{2717} \(sentence)"])
        #expect(OstiaryError.linkOld.exit == .codeOver)
    }

    @Test("What a service behind the server says is told of an account: a Data Service answers a device, behind which nobody may stand")
    func servicesBehind() {
        for error in [OstiaryError.serviceUnavailable, .serviceRefused, .serviceAnswer] {
            #expect(error.sentence.contains("the service behind the server") && !error.sentence.contains("person"), "\(error.sentence)")
        }
        #expect(OstiaryError.serviceRefused.sentence.contains("refuses this account"))
    }

    @Test("Keys or a home that cannot be used say where to look: the option, and the variable that seals them")
    func unusableHome() {
        #expect(OstiaryError.keyStore.sentence.contains("--home") && OstiaryError.keyStore.sentence.contains("OSTIARY_PHONE_KEYRING"))
        #expect(OstiaryError.storeUnavailable.sentence.contains("--home"))
    }

    @Test("S4-22 accounts that the person has at the server are not said to be on other devices: the only phone has them too")
    func accountsThere() {
        var session = Session(id: UUID(), isEnrolment: true)
        session.info.serverName = "Shop"
        session.enrolInfo.displayName = "Alice"
        session.enrolInfo.nsAccounts = [ServerAccount(id: 0, description: "Alice"), ServerAccount(id: 1, description: "Alice at work")]
        #expect(
            OstiaryEvent.confirmEnrol(session, accounts: [], visualHash: nil).lines(columns: 80) == [
                "New account Alice at Shop", "at the server already, on whatever device: Alice, Alice at work",
            ])
        session.enrolInfo.nsAccounts = []
        #expect(OstiaryEvent.confirmEnrol(session, accounts: [], visualHash: nil).lines(columns: 80) == ["New account Alice at Shop"])
    }

    private func told(_ result: SecondFactorInfo.Result, stopped: Bool, _ context: SecondFactorInfo.Context = .verify) -> [String] {
        event(result, stopped: stopped, context).lines(columns: 80)
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
        let lines = OstiaryEvent.confirmLogin(session, accounts: []).lines(columns: 80)
        #expect(
            lines == [
                "Log in to Shop\n    | New account Mallory at Shop", "    | a\n    | b: ", "    | amount: 10 EUR\n    | \u{2713} logged in as Alice",
            ])
    }

    /// Every row of what is told of a login: where it is confirmed, and above the PIN.
    private func rows(_ session: Session, columns: Int) -> [Substring] {
        let info = SecondFactorInfo(
            context: .verify, result: nil, retry: true, blocked: false, maxAttempts: 5, failedAttempts: 0, penalisedFor: 0, showBiometrics: false)
        let asked = SecondFactor(stopped: false, secondFactorInfo: info, session: session)
        return [OstiaryEvent.confirmLogin(session, accounts: []), .secondFactorStarted(asked)].flatMap { event in
            event.lines(columns: columns).flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        }
    }

    /// The keys stood at the beginning of a line, and the blanks behind them could not be seen.
    @Test("An announced key that reads like a line of the phone's, with a text that nobody sees, stands behind the mark")
    func announcedKeys() {
        var session = Session(id: UUID())
        session.info.serviceName = "Shop"
        session.info.announceInfo = ["To log in to Your Bank": " ", "as Bob": "\u{A0}", "\u{2713} logged in as Alice": ""]
        let rows = rows(session, columns: 80)
        #expect(rows.filter { !$0.hasPrefix("    | ") } == ["Log in to Shop", "To log in to Shop:"])
        #expect(rows.count == 8)
    }

    /// The terminal ended a row of 80 columns, and what stood behind began the next without a mark.
    @Test("A text of others that fills a row goes on behind the mark, wherever it stands", arguments: [20, 40, 80, 132])
    func longTexts(columns: Int) {
        let long = String(repeating: "x", count: columns) + String(repeating: " ", count: columns) + "\u{2713} logged in as Alice"
        var session = Session(id: UUID())
        session.info.serviceName = long
        session.info.serviceOrigin = long
        session.info.browserLabel = long
        session.info.announceInfo = ["what": long, long: "x"]
        let rows = rows(session, columns: columns)
        #expect(rows.allSatisfy { $0.count <= columns || $0.hasPrefix("careful: ") })
        let own = rows.filter { !$0.hasPrefix("    | ") && !$0.hasPrefix("careful: ") }
        #expect(own.count == 3)
        for (row, words) in zip(own, ["Log in to ", "asked by ", "To log in to "]) { #expect(row.hasPrefix(words.prefix(columns))) }
    }
}
