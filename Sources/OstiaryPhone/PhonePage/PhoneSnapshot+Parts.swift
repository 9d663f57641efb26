import Foundation
import HTTPService
import OstiaryMobile
import enum OstiaryProtocol.Hexadecimal

// The parts of a snapshot, each as the page reads it.

extension Session {
    var pageID: String { id.uuidString.lowercased() }

    /// What the person is asked to approve.
    func writeAbout(to writer: inout JSONWriter) {
        writer.name("about")
        writer.object { writer in
            writer.member("kind", isAppLogin ? "app" : isEnrolment ? "enrolment" : "login")
            writer.member("title", shownTitle)
            writer.member("name", enrolInfo.displayName)
            // Of an enrolment, like the name.
            writer.member("asksPIN", enrolInfo.asksSecondFactor)
            writer.member("isUpgrade", enrolInfo.isUpgrade)
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
            writer.member("needsNumber", needsNumber)
            writer.member("wrongNumbers", number: wrongNumbers)
        }
    }

    func writeReturning(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", pageID)
            writer.member("title", shownTitle)
            // To be opened once, in the browser that began: it ends the login there.
            writer.member("address", returnURL?.absoluteString)
        }
    }

    func write(to writer: inout JSONWriter) {
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
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id.rawValue)
            writer.member("username", username)
            writer.member("displayName", displayName)
            writer.member("server", serverName)
            writer.member("address", serverURL)
            writer.member("state", state.rawValue)
            writer.member("hasSecondFactor", hasSecondFactor)
        }
    }
}

extension HistoryItem {
    func write(to writer: inout JSONWriter) {
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
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("session", session.pageID)
            writer.member("title", session.shownTitle)
            writer.member("name", session.enrolInfo.displayName)
            writer.member("code", code)
        }
    }
}

extension PhoneScreen.Offer {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("session", session.pageID)
            writer.list("accounts", accounts) { writer, account in account.write(to: &writer) }
        }
    }
}

extension ShownOneTimeCode {
    func write(left: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("session", session.pageID)
            writer.member("username", account.username)
            writer.member("server", account.serverName)
            writer.member("code", code.text)
            writer.member("left", number: left)
        }
    }
}

extension PhoneNotice {
    func write(to writer: inout JSONWriter) {
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
    func write(to writer: inout JSONWriter) {
        writer.member("words", words)
        writer.list("tiles", tiles) { writer, row in
            writer.array(row) { writer, colour in
                writer.string("#" + Hexadecimal.text([colour.red, colour.green, colour.blue]))
            }
        }
    }
}

extension SecondFactorInfo {
    func write(_ pad: PhoneSnapshot.Pad, penalty: Int, isCounted: Bool, to writer: inout JSONWriter) {
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
