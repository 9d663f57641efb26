import Foundation
import OstiaryMobile

import enum OstiaryProtocol.Hexadecimal

/// What happens on the phone, as one JSON object a line (docs/phone.md). Names and order of members are a contract with scripts.
extension OstiaryEvent {
    /// Nil for what scripts are not told: a session's way from one state to the next, except back to its browser.
    var json: JSONText? {
        switch self {
        case .otpAvailable(let session, let accounts):
            [("event", "otpAvailable"), ("session", session.json), ("accounts", .array(accounts.map(\.json)))].asObject
        case .confirmLogin(let session, let accounts):
            [
                ("event", "confirmLogin"), ("session", session.json), ("info", session.info.json),
                ("accounts", .array(accounts.map(\.json))), ("needsNumber", .bool(session.needsNumber)),
                ("wrongNumbers", .number(session.wrongNumbers)),
            ].asObject
        case .confirmEnrol(let session, let accounts, let visualHash):
            [
                ("event", "confirmEnrol"), ("session", session.json), ("enrolInfo", session.enrolInfo.json), ("info", session.info.json),
                ("accounts", .array(accounts.map(\.json))), ("visualHash", visualHash?.json ?? .null),
            ].asObject
        case .enrolConfirmation(let session, let code):
            [("event", "enrolConfirmation"), ("code", .string(code)), ("session", session.json)].asObject
        case .secondFactorStarted(let secondFactor), .secondFactorUpdated(let secondFactor): secondFactor.json
        case .sessionLogin(let session): session.event("sessionLogin", login: true)
        case .sessionStop(let session): session.event("sessionStop", login: false)
        case .sessionUpdate(let session): session.returnEvent
        case .accountAdded(let account), .accountUpdated(let account):
            [("event", "accountUpdate"), ("account", account.json)].asObject
        case .accountDeleted(let account): [("event", "accountDeleted"), ("account", account.json)].asObject
        case .newDevice(let device, let account):
            [
                ("event", "newDevice"), ("name", .string(device.name)), ("enrolledAt", .number(Int(clamping: device.enrolledAt))),
                ("account", account.json),
            ].asObject
        case .pinReplacedByBiometric(let pin, let account):
            [
                ("event", "pinReplacedByBiometric"), ("deviceName", .string(pin.deviceName)),
                ("replacedAt", .number(Int(clamping: pin.replacedAt))), ("account", account.json),
            ].asObject
        // No command asks for one by the calls that tell it so.
        case .token: nil
        case .error(let error, let session): error.json(session)
        }
    }
}

extension OneTimeCode {
    /// No event of the SDK's, which gives a code to nobody but who asked for it.
    func json(of account: Account, for session: Session) -> JSONText {
        [
            ("event", "otp"), ("code", .string(text)), ("changesIn", .number(changesIn)), ("account", account.json), ("session", session.json),
        ].asObject
    }
}

extension Session {
    var json: JSONText {
        [
            ("id", .string(id.uuidString.lowercased())), ("state", .string(state.rawValue)), ("isAppLogin", .bool(isAppLogin)),
            ("isEnrolment", .bool(isEnrolment)), ("accountid", .optional(account?.id.rawValue)), ("username", .optional(username)),
        ].asObject
    }

    /// `sessionLogin` and `sessionStop`: what a script wants of them is at the top.
    fileprivate func event(_ name: String, login: Bool) -> JSONText {
        var members: [(String, JSONText)] = [("event", .string(name)), ("isAppLogin", .bool(isAppLogin))]
        if login {
            if let webNonce { members.append(("webNonce", .string(webNonce))) }
            members.append(("username", .optional(username ?? account?.username)))
            members.append(("pingTime", .number(pingTime)))
        } else {
            members.append(("reason", .optional(ending?.rawValue)))
        }
        return (members + [("session", json)]).asObject
    }
}

extension Session {
    /// Of all changes scripts are told one: the person said yes and the browser is awaited. `returnURL` is null after a scan.
    fileprivate var returnEvent: JSONText? {
        guard isReturning else { return nil }
        return [("event", "sessionUpdate"), ("returning", .bool(true)), ("returnURL", .optional(returnURL?.absoluteString)), ("session", json)]
            .asObject
    }
}

extension Account {
    var json: JSONText {
        [
            ("id", .string(id.rawValue)), ("username", .string(username)), ("displayName", .string(displayName)), ("server", .string(serverName)),
            ("serverURL", .string(serverURL)), ("serverIdentity", .string(serverIdentity)), ("state", .string(state.rawValue)),
            ("hasSecondFactor", .bool(hasSecondFactor)), ("created", .number(Int(clamping: createdAt))),
        ].asObject
    }
}

extension SessionInfo {
    fileprivate var json: JSONText {
        let announced = announceInfo.sorted { $0.key < $1.key }.map { ($0.key, JSONText.string($0.value)) }
        return [
            ("service", .string(serviceName)), ("origin", .string(serviceOrigin)), ("server", .string(serverName)),
            ("browser", .string(browserLabel)), ("city", .string(browserCity)), ("binding", .string(binding.rawValue)),
            ("announceInfo", announced.asObject), ("hasAnnounceLogo", .bool(announceLogo != nil)),
        ].asObject
    }
}

extension EnrolInfo {
    fileprivate var json: JSONText {
        let accounts = nsAccounts.map { [("id", JSONText.number($0.id)), ("description", .string($0.description))].asObject }
        return [
            ("displayName", .string(displayName)), ("nsAccounts", .array(accounts)), ("asksSecondFactor", .bool(asksSecondFactor)),
            ("isUpgrade", .bool(isUpgrade)),
        ].asObject
    }
}

extension VisualHash {
    fileprivate var json: JSONText {
        [("words", .array(words.map(JSONText.string))), ("bytes", .string(Hexadecimal.text(bytes)))].asObject
    }
}

extension SecondFactor {
    fileprivate var json: JSONText {
        var members: [(String, JSONText)] = [("event", "secondFactor"), ("stopped", .bool(stopped)), ("secondFactorInfo", secondFactorInfo.json)]
        if let session {
            members += [("session", session.json), ("info", session.info.json)]
            if session.isEnrolment { members.append(("enrolInfo", session.enrolInfo.json)) }
        }
        return members.asObject
    }
}

extension SecondFactorInfo {
    fileprivate var json: JSONText {
        [
            ("context", .string(context.rawValue)), ("result", .optional(result?.rawValue)), ("retry", .bool(retry)), ("blocked", .bool(blocked)),
            ("maxAttempts", .number(maxAttempts)), ("failedAttempts", .number(failedAttempts)), ("penalisedFor", .number(penalisedFor)),
            ("showBiometrics", .bool(showBiometrics)),
        ].asObject
    }
}

extension OstiaryError {
    /// `code` is the number of the reference documents, null where they have none; `name` is always there.
    fileprivate func json(_ session: Session?) -> JSONText {
        var members: [(String, JSONText)] = [
            ("event", "error"), ("code", code.map(JSONText.number) ?? .null), ("name", .string("\(self)")), ("message", .string(sentence)),
            ("advice", .string(advice.rawValue)),
        ]
        if let session { members.append(("session", session.json)) }
        return members.asObject
    }
}

extension Array where Element == (String, JSONText) {
    var asObject: JSONText { .object(map { JSONText.Member(name: $0.0, value: $0.1) }) }
}
