import Foundation
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

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("screen", screen.asked.word)
            writer.member("question", number: screen.question)
            writeQuestion(to: &writer)
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
            writer.member("elsewhere", session.enrolInfo.nsAccounts.map(\.description))
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

extension Session {
    var pageID: String { id.uuidString.lowercased() }

    /// What the person is asked to approve.
    fileprivate func writeAbout(to writer: inout JSONWriter) {
        writer.name("about")
        writer.object { writer in
            writer.member("kind", isAppLogin ? "app" : isEnrolment ? "enrolment" : "login")
            writer.member("title", shownTitle)
            writer.member("name", enrolInfo.displayName)
            writer.member("origin", info.serviceOrigin)
            writer.member("server", info.serverName)
            writer.member("username", account?.username)
            writer.member("browser", info.browserLabel)
            writer.member("city", info.browserCity)
            writer.member("started", number: info.startedAt == 0 ? nil : info.startedAt)
            writer.member("expires", number: info.expiresAt == 0 ? nil : info.expiresAt)
            writer.member("binding", info.binding.rawValue)
            writer.list("announced", info.announceInfo.sorted { $0.key < $1.key }) { writer, text in
                writer.object { writer in
                    writer.member("key", text.key)
                    writer.member("text", text.value)
                }
            }
            writer.member("logo", info.announceLogo.flatMap { LogoAddress.text(of: Array($0)) })
            writer.member("hasLogo", info.announceLogo != nil)
        }
    }

    fileprivate func writeReturning(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", pageID)
            writer.member("title", shownTitle)
            // To be opened once, in the browser that began: it ends the login there.
            writer.member("address", returnURL?.absoluteString)
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", pageID)
            writer.member("title", shownTitle)
            writer.member("username", username)
            writer.member("browser", info.browserLabel)
            writer.member("isAppLogin", isAppLogin)
            writer.member("connectionError", connectionError)
            writer.member("pingTime", number: pingTime)
        }
    }
}

extension Account {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id.rawValue)
            writer.member("username", username)
            writer.member("displayName", displayName)
            writer.member("server", serverName)
            writer.member("address", serverURL)
            writer.member("state", state.rawValue)
        }
    }
}

extension HistoryItem {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id.uuidString.lowercased())
            writer.member("status", status.rawValue)
            writer.member("username", username)
            writer.member("title", isEnrolment || isAppLogin || serviceName.isEmpty ? serverName : serviceName)
            writer.member("kind", isEnrolment ? "enrolment" : isAppLogin ? "app" : "login")
            writer.member("changed", number: changedAt)
        }
    }
}

extension PhoneScreen.Code {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("session", session.pageID)
            writer.member("title", session.shownTitle)
            writer.member("name", session.enrolInfo.displayName)
            writer.member("code", code)
        }
    }
}

extension PhoneNotice {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", number: id)
            writer.member("kind", kind.rawValue)
            writer.member("text", text)
            writer.member("code", number: error?.code)
            writer.member("advice", error?.advice.words)
        }
    }
}

extension VisualHash {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("words", words)
        writer.list("tiles", tiles) { writer, row in
            writer.array(row) { writer, colour in
                writer.string("#" + [colour.red, colour.green, colour.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
            }
        }
    }
}

extension SecondFactorInfo {
    fileprivate func write(_ pad: PhoneSnapshot.Pad, penalty: Int, isCounted: Bool, to writer: inout JSONWriter) {
        writer.name("factor")
        writer.object { writer in
            writer.member("context", context.rawValue)
            writer.member("result", result?.rawValue)
            writer.member("blocked", blocked)
            writer.member("maxAttempts", number: maxAttempts)
            writer.member("failedAttempts", number: failedAttempts)
            writer.member("counted", isCounted)
            writer.member("penalty", number: penalty)
            writer.member("biometrics", showBiometrics)
            writer.member("pin", !takesFeatureOnly)
            writer.member("typed", number: pad.count)
            writer.member("again", pad.isAgain)
            writer.member("complaint", pad.complaint)
        }
    }
}

/// The image of a login as an address that a page may show: a script in it has no way to run there.
enum LogoAddress {
    /// Nil for what no browser takes for a picture.
    static func text(of bytes: [UInt8]) -> String? {
        type(of: bytes).map { "data:\($0);base64,\(base64(bytes))" }
    }

    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        return String(validating: bytes, as: UTF8.self)?.contains("<svg") == true ? "image/svg+xml" : nil
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
