import Foundation
import OstiaryMobile
import QRReading

/// A person with a phone of their own who does what a program says: in the story that is told alone, and as whoever is attacked on the tour.
struct ScriptedPerson: Sendable {
    static let rightPIN: [UInt8] = [2, 7, 4, 9, 1, 6]
    static let wrongPINs: [[UInt8]] = [[8, 3, 5, 0, 6, 2], [6, 0, 2, 8, 5, 1], [9, 4, 1, 7, 3, 8]]

    let backend: DemoBackend
    let phone: Ostiary
    private let log: EventLog
    /// The user as the website names them, and the name that the phone shows.
    let user: String
    let name: String
    /// The digits that the person sets at the enrolment.
    let pin: [UInt8]

    /// - Parameter home: where the phone keeps what is its own.
    /// - Throws: `OstiaryError` when the home cannot be used.
    init(_ backend: DemoBackend, home: URL, user: String, name: String, pin: [UInt8] = Self.rightPIN) throws {
        self.backend = backend
        self.user = user
        self.name = name
        self.pin = pin
        phone = try PhoneHome.open(at: home.path, isWatching: true)
        log = EventLog(phone)
    }

    // MARK: Enrolment

    /// What the phone was asked.
    struct EnrolmentQuestion: Sendable {
        let nonce: String
        /// The bytes of the code that was scanned, and of the picture that it was in.
        let code: [UInt8]
        let picture: Int
        let session: Session
        let words: [String]?
    }

    /// Scans an enrol code; returns when the phone asks whether to.
    func scanEnrolment() async throws -> EnrolmentQuestion {
        let nonce = ManagementClient.newNonce()
        let picture = try await backend.enrolCode(nonce, name: name, user: user, asPNG: true)
        let codes = try QRReader.read(picture)
        guard let code = codes.first, codes.count == 1 else { throw DemoError.stepFailed("the enrol picture does not hold one code") }
        phone.start(with: code)
        let question = try await expect("the question whether to enrol") { event -> (Session, OstiaryMobile.VisualHash?)? in
            if case .confirmEnrol(let session, _, let hash) = event { (session, hash) } else { nil }
        }
        return EnrolmentQuestion(nonce: nonce, code: code, picture: picture.count, session: question.0, words: question.1?.words)
    }

    /// Agrees and sets the PIN.
    /// - Returns: the four characters that the phone shows.
    func agree(to question: EnrolmentQuestion) async throws -> String {
        phone.setAccount(nil, for: question.session)
        try await expectPINQuestion(.firstSet)
        enter(pin)
        return try await expect("the confirmation code") { if case .enrolConfirmation(_, let code) = $0 { code } else { nil } }
    }

    /// From the code to the account, which is logged in at the website.
    /// - Returns: the nonce of that login.
    @discardableResult
    func enrol() async throws -> String {
        let question = try await scanEnrolment()
        let shown = try await agree(to: question)
        try await backend.confirm(question.nonce, code: shown)
        try await expectLogin()
        return question.nonce
    }

    // MARK: Login

    /// Scans the still code of a login; returns when the PIN is asked.
    /// - Returns: the nonce of that login.
    func scanLogin() async throws -> String {
        let nonce = ManagementClient.newNonce()
        phone.start(with: try await loginCode(nonce))
        try await confirm()
        return nonce
    }

    /// The bytes of the still code of a login, read from its picture.
    func loginCode(_ nonce: String) async throws -> [UInt8] {
        let codes = try QRReader.read(try await backend.loginCode(nonce, asPNG: true))
        guard let code = codes.first else { throw DemoError.stepFailed("the login picture holds no code") }
        return code
    }

    /// A login by a still code and the right PIN.
    func logIn() async throws -> (nonce: String, session: Session) {
        let nonce = try await scanLogin()
        enter(pin)
        try await expectResult(.success)
        let login = try await expectLogin()
        return (nonce, login)
    }

    /// Opens the link of a login page on the phone, with the right PIN.
    /// - Returns: the address that the phone opens afterwards.
    func accept(link: String) async throws -> URL {
        phone.start(link: link)
        try await confirm()
        enter(pin)
        return try await expect("the address to open in the browser") { if case .sessionUpdate(let session) = $0 { session.returnURL } else { nil } }
    }

    /// Confirms the login that the phone was handed; returns when the PIN is asked.
    func confirm() async throws {
        let question = try await expect("the question whether to log in") { event -> (Session, [Account])? in
            if case .confirmLogin(let session, let accounts) = event { (session, accounts) } else { nil }
        }
        phone.setAccount(question.1.first, for: question.0)
        try await expectPINQuestion(.verify)
    }

    func enter(_ digits: [UInt8]) {
        let pin = PIN()
        for digit in digits { pin.append(digit: digit) }
        phone.sfInput(pin)
        pin.clear()
    }

    /// Enters a PIN that is wrong.
    /// - Returns: the tries as the phone is told of them.
    func mistype(_ digits: [UInt8]) async throws -> SecondFactorInfo {
        enter(digits)
        return try await expectResult(.failed)
    }

    // MARK: Change of the PIN

    func changePIN(to digits: [UInt8]) async throws {
        phone.changePIN()
        try await expectPINQuestion(.pinChangeVerify)
        enter(pin)
        _ = try await expect("the question for the new PIN") { event -> Bool? in
            guard let info = Self.info(of: event), info.context == .pinChangeSet, info.result == nil else { return nil }
            return true
        }
        enter(digits)
        _ = try await expect("the new PIN") { event -> Bool? in
            guard let info = Self.info(of: event), info.context == .pinChangeSet, info.result == .success else { return nil }
            return true
        }
    }

    private static func info(of event: OstiaryEvent) -> SecondFactorInfo? {
        switch event {
        case .secondFactorStarted(let question), .secondFactorUpdated(let question): question.secondFactorInfo
        default: nil
        }
    }

    // MARK: What is waited for

    func expectPINQuestion(_ context: SecondFactorInfo.Context) async throws {
        _ = try await expect("the question for the PIN") { event -> Bool? in
            if case .secondFactorStarted(let question) = event, question.secondFactorInfo.context == context { true } else { nil }
        }
    }

    func expectAnswerToPIN() async throws -> SecondFactorInfo {
        try await expect("an answer to the PIN") { if case .secondFactorUpdated(let answer) = $0 { answer.secondFactorInfo } else { nil } }
    }

    @discardableResult
    func expectResult(_ result: SecondFactorInfo.Result) async throws -> SecondFactorInfo {
        let info = try await expectAnswerToPIN()
        guard info.result == result else {
            throw DemoError.stepFailed("the PIN's result is \(info.result?.rawValue ?? "none"), not \(result.rawValue)")
        }
        return info
    }

    @discardableResult
    func expectLogin() async throws -> Session {
        try await expect("the login") { if case .sessionLogin(let session) = $0 { session } else { nil } }
    }

    /// The next event of a kind, errors among them; nil when none comes within a minute: machines are busy.
    func next<Value: Sendable>(_ choose: @Sendable (OstiaryEvent) -> Value?) async -> Value? { await log.next(choose) }

    /// The next error of the phone; nil when none comes.
    func nextError() async -> OstiaryError? { await next { if case .error(let error, _) = $0 { error } else { nil } } }

    /// - Throws: unless `getSession` says that it is this person.
    func expectUser(_ nonce: String) async throws {
        let status = try await backend.session(nonce)
        guard status.loggedin, status.userid == user else { throw DemoError.stepFailed("getSession says \(status.userid ?? "nobody"), not \(user)") }
    }

    /// The next event of a kind. An error of the phone meanwhile ends it.
    func expect<Value: Sendable>(
        _ what: String, within patience: Duration = .seconds(60), _ choose: @Sendable (OstiaryEvent) -> Value?
    ) async throws -> Value {
        let found = await log.next(within: patience) { event -> Result<Value, DemoError>? in
            if let value = choose(event) { return .success(value) }
            if case .error(let error, _) = event { return .failure(.stepFailed("instead of \(what): \(error.sentence)")) }
            return nil
        }
        guard let found else { throw DemoError.stepFailed("\(what) did not come within \(patience.components.seconds) s") }
        return try found.get()
    }
}
