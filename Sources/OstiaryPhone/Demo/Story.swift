import Foundation
import OstiaryMobile
import OstiaryProgram

/// `ostiary demo --script`: a person enrols, logs in, mistypes and is logged out, told in one line a step.
struct Story {
    let servers: DemoServers
    let backend: DemoBackend
    let person: ScriptedPerson

    init(_ servers: DemoServers) async throws {
        self.servers = servers
        backend = try await DemoBackend(servers.layout)
        person = try ScriptedPerson(backend, home: servers.layout.phoneHome, user: "alice", name: "Alice")
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
        let question = try await person.scanEnrolment()
        let words = question.words?.joined(separator: " ") ?? "off"
        step("the phone scanned the enrol code (\(question.picture) bytes of PNG); visual hash: \(words)")
        let shown = try await person.agree(to: question)
        guard try await !backend.session(question.nonce).loggedin else { throw DemoError.stepFailed("logged in before the code was confirmed") }
        step("a PIN is set; the phone shows the code \(shown)")
        try await backend.confirm(question.nonce, code: shown)
        try await person.expectLogin()
        try await person.expectUser(question.nonce)
        step("the code was typed into the page: enrolled, and getSession says \(person.user)")
    }

    // MARK: AppLogin

    private func logInToTheApp() async throws {
        person.phone.startAppLogin()
        let session = try await person.expect("the AppLogin, without a PIN") { event -> Result<Session, DemoError>? in
            switch event {
            case .secondFactorStarted: .failure(.stepFailed("the AppLogin after the enrolment asked for the PIN"))
            case .sessionLogin(let session) where session.isAppLogin: .success(session)
            default: nil
            }
        }.get()
        guard let webNonce = session.webNonce else { throw DemoError.stepFailed("the AppLogin has no webNonce") }
        try await person.expectUser(webNonce)
        step("AppLogin without asking the PIN again: a backend with the webNonce learns that it is \(person.user)")
    }

    // MARK: Login by QR code

    private func logInByCode() async throws -> (nonce: String, session: Session) {
        let nonce = try await person.scanLogin()
        let wrong = try await person.mistype(ScriptedPerson.wrongPINs[0])
        guard wrong.failedAttempts == 1 else { throw DemoError.stepFailed("the wrong PIN was not counted") }
        step("a wrong PIN: \(wrong.failedAttempts) of \(wrong.maxAttempts) tries used")
        person.enter(person.pin)
        try await person.expectResult(.success)
        let session = try await person.expectLogin()
        step("the right PIN: logged in by QR code")
        try await person.expectUser(nonce)
        step("getSession says \(person.user)")
        return (nonce, session)
    }

    private func earnAPenalty() async throws {
        let nonce = try await person.scanLogin()
        var info: SecondFactorInfo?
        for pin in ScriptedPerson.wrongPINs { info = try await person.mistype(pin) }
        guard let info, info.penalisedFor > 0 else { throw DemoError.stepFailed("three wrong PINs brought no penalty") }
        let early = try await person.mistype(person.pin)
        guard early.failedAttempts == info.failedAttempts, early.penalisedFor > 0 else {
            throw DemoError.stepFailed("a PIN during the penalty was counted")
        }
        person.phone.sfCancel()
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("logged in during a penalty") }
        step("\(info.failedAttempts) wrong PINs: a penalty of \(info.penalisedFor) s, in which even the right PIN is neither taken nor counted")
    }

    private func beStopped(_ nonce: String, _ session: Session) async throws {
        try await backend.logOut(nonce)
        let stopped = try await person.expect("the stop on the phone") { event -> Session? in
            if case .sessionStop(let stopped) = event, stopped.id == session.id { stopped } else { nil }
        }
        guard stopped.ending == .server else { throw DemoError.stepFailed("the phone took the stop for \(stopped.ending?.rawValue ?? "nothing")") }
        step("the website logged \(person.user) out, and the phone heard of it")
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("getSession still says \(person.user)") }
        step("getSession says nobody")
    }
}
