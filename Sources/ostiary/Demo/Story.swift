import Foundation
import OstiaryMobile
import QRCode

/// `ostiary demo --script`: a person enrols, logs in, mistypes and is logged out, told in one line a step.
struct Story {
    let servers: DemoServers
    let backend: DemoBackend
    let phone: Ostiary
    let log: EventLog
    let user = "alice"

    init(_ servers: DemoServers) async throws {
        self.servers = servers
        backend = try await DemoBackend(servers.layout)
        phone = try PhoneHome.open(at: servers.layout.phoneHome.path, isWatching: true)
        log = EventLog(phone)
    }

    /// - Throws: the first step that did not happen.
    func tell() async throws {
        try await enrol()
        try await logInToTheApp()
        try await logInByPage()
        try await beSentALink()
        let (nonce, session) = try await logInByCode()
        try await earnAPenalty()
        try await beStopped(nonce, session)
    }

    func step(_ text: String) { StandardStreams.print("\u{2713} \(text)") }

    // MARK: Enrolment

    private func enrol() async throws {
        let nonce = ManagementClient.newNonce()
        let picture = try await backend.enrolCode(nonce, name: "Alice", user: user, asPNG: true)
        let codes = try QRReader.read(picture)
        guard let code = codes.first, codes.count == 1 else { throw DemoError.stepFailed("the enrol picture does not hold one code") }
        phone.start(with: code)
        let question = try await expect("the question whether to enrol") { event -> (Session, OstiaryMobile.VisualHash?)? in
            if case .confirmEnrol(let session, _, let hash) = event { (session, hash) } else { nil }
        }
        step("the phone scanned the enrol code (\(picture.count) bytes of PNG); visual hash: \(question.1?.words.joined(separator: " ") ?? "off")")
        phone.setAccount(nil, for: question.0)
        try await expectPINQuestion(.firstSet)
        enter(Self.rightPIN)
        let shown = try await expect("the confirmation code") { if case .enrolConfirmation(_, let code) = $0 { code } else { nil } }
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("logged in before the code was confirmed") }
        step("a PIN is set; the phone shows the code \(shown)")
        try await backend.confirm(nonce, code: shown)
        _ = try await expectLogin()
        try await expectUser(nonce)
        step("the code was typed into the page: enrolled, and getSession says \(user)")
    }

    // MARK: AppLogin

    private func logInToTheApp() async throws {
        phone.startAppLogin()
        let session = try await expect("the AppLogin, without a PIN") { event -> Result<Session, DemoError>? in
            switch event {
            case .secondFactorStarted: .failure(.stepFailed("the AppLogin after the enrolment asked for the PIN"))
            case .sessionLogin(let session) where session.isAppLogin: .success(session)
            default: nil
            }
        }.get()
        guard let webNonce = session.webNonce else { throw DemoError.stepFailed("the AppLogin has no webNonce") }
        try await expectUser(webNonce)
        step("AppLogin without asking the PIN again: a backend with the webNonce learns that it is \(user)")
    }

    // MARK: Login by QR code

    private func logInByCode() async throws -> (nonce: String, session: Session) {
        let nonce = try await scanLogin()
        enter(Self.wrongPINs[0])
        let wrong = try await expectResult(.failed)
        guard wrong.failedAttempts == 1 else { throw DemoError.stepFailed("the wrong PIN was not counted") }
        step("a wrong PIN: \(wrong.failedAttempts) of \(wrong.maxAttempts) tries used")
        enter(Self.rightPIN)
        _ = try await expectResult(.success)
        let session = try await expectLogin()
        step("the right PIN: logged in by QR code")
        try await expectUser(nonce)
        step("getSession says \(user)")
        return (nonce, session)
    }

    private func earnAPenalty() async throws {
        let nonce = try await scanLogin()
        var info: SecondFactorInfo?
        for pin in Self.wrongPINs {
            enter(pin)
            info = try await expectResult(.failed)
        }
        guard let info, info.penalisedFor > 0 else { throw DemoError.stepFailed("three wrong PINs brought no penalty") }
        enter(Self.rightPIN)
        let early = try await expectResult(.failed)
        guard early.failedAttempts == info.failedAttempts, early.penalisedFor > 0 else {
            throw DemoError.stepFailed("a PIN during the penalty was counted")
        }
        phone.sfCancel()
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("logged in during a penalty") }
        step("\(info.failedAttempts) wrong PINs: a penalty of \(info.penalisedFor) s, in which even the right PIN is neither taken nor counted")
    }

    private func beStopped(_ nonce: String, _ session: Session) async throws {
        try await backend.logOut(nonce)
        let stopped = try await expect("the stop on the phone") { event -> Session? in
            if case .sessionStop(let stopped) = event, stopped.id == session.id { stopped } else { nil }
        }
        guard stopped.ending == .server else { throw DemoError.stepFailed("the phone took the stop for \(stopped.ending?.rawValue ?? "nothing")") }
        step("the website logged \(user) out, and the phone heard of it")
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("getSession still says \(user)") }
        step("getSession says nobody")
    }
}

/// The steps that several parts of the story share.
extension Story {
    private static let rightPIN: [UInt8] = [2, 7, 4, 9, 1, 6]
    private static let wrongPINs: [[UInt8]] = [[8, 3, 5, 0, 6, 2], [6, 0, 2, 8, 5, 1], [9, 4, 1, 7, 3, 8]]

    /// Shows a login code as a picture, scans and confirms it; returns when the PIN is asked.
    private func scanLogin() async throws -> String {
        let nonce = ManagementClient.newNonce()
        let codes = try QRReader.read(try await backend.loginCode(nonce, asPNG: true))
        guard let code = codes.first else { throw DemoError.stepFailed("the login picture holds no code") }
        phone.start(with: code)
        try await confirm()
        return nonce
    }

    /// Confirms the login that the phone was handed; returns when the PIN is asked.
    func confirm() async throws {
        let question = try await expect("the question whether to log in") { event -> (Session, [Account])? in
            if case .confirmLogin(let session, let accounts) = event { (session, accounts) } else { nil }
        }
        phone.setAccount(question.1.first, for: question.0)
        try await expectPINQuestion(.verify)
    }

    func enterRightPIN() { enter(Self.rightPIN) }

    private func enter(_ digits: [UInt8]) {
        let pin = PIN()
        for digit in digits { pin.append(digit: digit) }
        phone.sfInput(pin)
        pin.clear()
    }

    private func expectPINQuestion(_ context: SecondFactorInfo.Context) async throws {
        _ = try await expect("the question for the PIN") { event -> Bool? in
            if case .secondFactorStarted(let question) = event, question.secondFactorInfo.context == context { true } else { nil }
        }
    }

    private func expectResult(_ result: SecondFactorInfo.Result) async throws -> SecondFactorInfo {
        let info = try await expect("an answer to the PIN") { if case .secondFactorUpdated(let answer) = $0 { answer.secondFactorInfo } else { nil } }
        guard info.result == result else {
            throw DemoError.stepFailed("the PIN's result is \(info.result?.rawValue ?? "none"), not \(result.rawValue)")
        }
        return info
    }

    @discardableResult
    func expectLogin() async throws -> Session {
        try await expect("the login") { if case .sessionLogin(let session) = $0 { session } else { nil } }
    }

    func expectUser(_ nonce: String) async throws {
        let status = try await backend.session(nonce)
        guard status.loggedin, status.userid == user else { throw DemoError.stepFailed("getSession says \(status.userid ?? "nobody"), not \(user)") }
    }

    /// The next event of a kind. An error of the phone meanwhile ends the story.
    func expect<Value: Sendable>(_ what: String, _ choose: @Sendable (OstiaryEvent) -> Value?) async throws -> Value {
        let found = await log.next { event -> Result<Value, DemoError>? in
            if let value = choose(event) { return .success(value) }
            if case .error(let error, _) = event { return .failure(.stepFailed("instead of \(what): \(error.sentence)")) }
            return nil
        }
        guard let found else { throw DemoError.stepFailed("\(what) did not come within 10 s") }
        return try found.get()
    }
}
