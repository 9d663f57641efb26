import HTTPService
import OstiaryMobile

/// All that the page shows of one phone at one moment. There is no digit of a PIN in it, and no webNonce.
struct PhoneSnapshot: Sendable {
    /// What is told of a PIN that is being typed.
    struct Pad: Sendable, Equatable {
        let count: Int
        /// The second time of a new PIN.
        let isAgain: Bool
        let complaint: String?
    }

    let name: String
    let screen: PhoneScreen
    /// Seconds until a PIN is looked at again.
    let penalty: Int
    let pad: Pad
    /// Nil when the home cannot be read.
    let accounts: [Account]?
    let sessions: [Session]
    let history: [HistoryItem]
    let source: String?
    let hasSensor: Bool
    /// A login whose server cannot be reached, and that a one-time code would do for.
    let offer: PhoneScreen.Offer?
    /// The one-time code that the person was given, and the seconds until another takes its place.
    let oneTimeCode: (code: ShownOneTimeCode, left: Int)?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("screen", screen.asked.word)
            writer.member("question", number: screen.question)
            writeQuestion(to: &writer)
            writer.list("offers", offer.map { [$0] } ?? []) { writer, offer in offer.write(to: &writer) }
            writer.list("oneTimeCodes", oneTimeCode.map { [$0] } ?? []) { writer, shown in shown.code.write(left: shown.left, to: &writer) }
            writer.list("codes", screen.codes) { writer, code in code.write(to: &writer) }
            writer.list("notices", screen.notices.reversed()) { writer, notice in notice.write(to: &writer) }
            writer.member("readable", accounts != nil)
            writer.list("accounts", accounts ?? []) { writer, account in account.write(to: &writer) }
            writer.list("returning", sessions.filter { $0.isReturning }) { writer, session in session.writeReturning(to: &writer) }
            writer.list("sessions", sessions.filter { $0.isLoggedIn }) { writer, session in session.write(to: &writer) }
            writer.list("history", history.reversed()) { writer, item in item.write(to: &writer) }
            writer.member("source", source)
            writer.member("sensor", hasSensor)
        }
    }

    private func writeQuestion(to writer: inout JSONWriter) {
        switch screen.asked {
        case .nothing, .beginning: break
        case .working(let session): writer.member("title", session?.shownTitle)
        case .login(let session, let accounts):
            session.writeAbout(to: &writer)
            writer.list("choices", accounts) { writer, account in account.write(to: &writer) }
        case .enrolment(let session, let accounts, let hash):
            session.writeAbout(to: &writer)
            writer.list("choices", accounts) { writer, account in account.write(to: &writer) }
            writer.member("there", session.enrolInfo.nsAccounts.map(\.description))
            if let hash { hash.write(to: &writer) }
        case .factor(let factor):
            factor.session?.writeAbout(to: &writer)
            factor.secondFactorInfo.write(pad, penalty: penalty, isCounted: screen.isCounted, to: &writer)
        }
    }
}

extension PhoneScreen.Asked {
    /// As the page names its screens.
    var word: String {
        switch self {
        case .nothing: "home"
        case .beginning, .working: "working"
        case .login: "login"
        case .enrolment: "enrolment"
        case .factor: "factor"
        }
    }
}

extension JSONWriter {
    mutating func list<Element>(_ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
        self.name(name)
        array(elements, write)
    }
}
