import Foundation
import OstiaryMobile

/// A place where a phone looks for a code without a camera: in the demonstration, the website beside it.
struct ScanSource: Sendable {
    /// What the button says, `Look at the website` for example.
    let title: String
    /// What the symbol that is shown there now holds, byte for byte; nil when none is shown.
    let look: @Sendable () async -> [UInt8]?
}

/// One phone of the page: an SDK with its home, what it has told, and what the person types.
///
/// Every call of a person names the question that it answers, so that a click which comes late answers no other.
actor PagePhone {
    /// For the person, who may have several.
    nonisolated let name: String
    nonisolated let source: ScanSource?
    let ostiary: Ostiary
    private let sensor: SimulatedBiometrics?
    let changes: PhoneChanges
    let now: @Sendable () -> ContinuousClock.Instant
    private(set) var screen = PhoneScreen()
    private var pad = PINPad(isNew: false)
    private var reader: Task<Void, Never>?
    var oneTimeCode: ShownOneTimeCode?
    /// Brings the code that follows.
    var renewal: Task<Void, Never>?
    /// What was asked to end and is still there: the SDK does what it is told a little later, and says of a session that is over that nothing is to end.
    private var ending: Set<Session.ID> = []

    /// - Parameters:
    ///   - sensor: the biometric sensor of `ostiary`, which is none.
    ///   - changes: of the page.
    init(
        name: String, ostiary: Ostiary, sensor: SimulatedBiometrics? = nil, source: ScanSource? = nil, changes: PhoneChanges,
        now: @Sendable @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.name = name
        self.ostiary = ostiary
        self.sensor = sensor
        self.source = source
        self.changes = changes
        self.now = now
    }

    /// The phone of a home, as the terminal has it too.
    static func open(home: String, name: String, source: ScanSource? = nil, changes: PhoneChanges) throws(OstiaryError) -> PagePhone {
        let sensor = SimulatedBiometrics(home: home)
        let ostiary = try PhoneHome.open(at: home, isWatching: true, biometrics: sensor, name: name, beginsWaitingLogins: true)
        return PagePhone(name: name, ostiary: ostiary, sensor: sensor, source: source, changes: changes)
    }

    deinit {
        reader?.cancel()
        renewal?.cancel()
    }

    /// Hears from now on what the SDK tells, and goes on with what was going on when the last process ended.
    func begin() {
        guard reader == nil else { return }
        let events = ostiary.events
        reader = Task { [weak self] in
            for await event in events { await self?.take(event) }
        }
        ostiary.resume()
    }

    /// All that the page shows of this phone now.
    var snapshot: PhoneSnapshot {
        let moment = now()
        return PhoneSnapshot(
            name: name, screen: screen, penalty: screen.penalty(at: moment),
            pad: PhoneSnapshot.Pad(count: pad.count, isAgain: pad.isAgain, complaint: pad.complaint?.words), accounts: ostiary.accounts,
            sessions: ostiary.sessions, history: ostiary.history, source: source?.title, hasSensor: sensor != nil,
            offer: offer, oneTimeCode: oneTimeCode.map { (code: $0, left: max(0, Int(($0.until - moment).components.seconds))) })
    }

    func take(_ event: OstiaryEvent) {
        let question = screen.question
        screen.take(event, at: now())
        if screen.question != question { openPad() }
        // What could not be ended may be asked again.
        if case .error(_, let session?) = event { ending.remove(session.id) }
        ending.formIntersection(ostiary.sessions.map(\.id))
        changes.note()
    }

    /// For another question whatever was typed is gone.
    private func openPad() {
        pad.wipe()
        guard case .factor(let factor) = screen.asked else { return }
        pad = PINPad(isNew: [.firstSet, .pinChangeSet].contains(factor.secondFactorInfo.context))
    }
}

// MARK: Beginning

extension PagePhone {
    func begin(_ found: LinkInput.Found) {
        switch found {
        case .scanned(let bytes): begin { $0.start(with: bytes) }
        case .link(let text): follow(text)
        }
    }

    /// A link, or what somebody took for one: the SDK says so.
    func follow(_ link: String) { begin { $0.start(link: link) } }

    func logInToApp() { begin { $0.startAppLogin() } }

    func changePIN(_ account: String) throws(PhonePageRefusal) {
        let account = try find(account)
        begin { $0.changePIN(for: account) }
    }

    func addBiometrics(_ account: String) throws(PhonePageRefusal) {
        let account = try find(account)
        begin { $0.addBiometrics(for: account) }
    }

    func removeBiometrics(_ account: String) throws(PhonePageRefusal) {
        let account = try find(account)
        begin { $0.removeBiometrics(for: account) }
    }

    /// Whether a code can be looked for: nothing is asked.
    var isFree: Bool { screen.asked == .nothing }

    /// Begins if nothing is asked; says whether it has.
    func beginIfFree(_ found: LinkInput.Found) -> Bool {
        guard isFree else { return false }
        begin(found)
        return true
    }

    private func begin(_ start: (Ostiary) -> Void) {
        let question = screen.question
        putAwayCode()
        screen.begin()
        if screen.question != question { openPad() }
        start(ostiary)
        changes.note()
    }
}

// MARK: Answers

extension PagePhone {
    /// Yes.
    /// - Parameters:
    ///   - account: id of the one that the person chose, of those that came with a login; nil for an enrolment.
    ///   - userInput: for the website's backend.
    ///   - number: what the person typed where one is asked.
    func confirm(_ question: Int, account: String?, userInput: String?, number: String?) throws(PhonePageRefusal) {
        try check(question)
        switch screen.asked {
        case .login(let session, let accounts):
            guard let chosen = accounts.first(where: { $0.id.rawValue == account }) else { throw .unknown("account") }
            ostiary.setAccount(chosen, for: session, with: userInput, number: number)
        case .enrolment(let session, _, _): ostiary.setAccount(nil, for: session)
        case .nothing, .beginning, .factor, .working: throw .otherQuestion
        }
        answered()
    }

    /// No, signed by the device.
    func deny(_ question: Int, notMe: Bool) throws(PhonePageRefusal) {
        try check(question)
        switch screen.asked {
        case .login, .enrolment, .factor: break
        case .nothing, .beginning, .working: throw .otherQuestion
        }
        guard let session = screen.asked.session else { throw .otherQuestion }
        ostiary.deny(session, notMe: notMe)
        answered()
    }

    /// Gives up what is asked or worked at.
    func giveUp(_ question: Int) throws(PhonePageRefusal) {
        try check(question)
        switch screen.asked {
        case .factor: ostiary.sfCancel()
        case .login(let session, _), .enrolment(let session, _, _), .working(let session?): ostiary.stop(session)
        case .nothing, .beginning, .working(nil): throw .otherQuestion
        }
        answered()
    }

    /// A key of the pad.
    func press(_ key: PINPad.Key, for question: Int) throws(PhonePageRefusal) {
        let factor = try factor(question)
        // The first step of adding biometrics takes no PIN.
        guard !factor.secondFactorInfo.takesFeatureOnly else { throw .otherQuestion }
        guard screen.penalty(at: now()) == 0 else { throw .tooEarly }
        if let pin = pad.press(key) {
            ostiary.sfInput(pin)
            pin.clear()
            answered()
        } else {
            changes.note()
        }
    }

    /// What the person does at the prompt of the sensor.
    /// - Parameter withPIN: whether the digits that stand on the pad answer together with it.
    func showFeature(_ answer: SimulatedBiometrics.Answer, withPIN: Bool, for question: Int) throws(PhonePageRefusal) {
        let factor = try factor(question)
        guard sensor != nil, factor.secondFactorInfo.showBiometrics else { throw .otherQuestion }
        guard withPIN else {
            ostiary.sfInput(.simulated(answer))
            return answered()
        }
        guard !factor.secondFactorInfo.takesFeatureOnly else { throw .otherQuestion }
        guard screen.penalty(at: now()) == 0 else { throw .tooEarly }
        guard let pin = pad.press(.enter) else { return changes.note() }
        ostiary.sfInput(pin, and: .simulated(answer))
        pin.clear()
        answered()
    }

    private func factor(_ question: Int) throws(PhonePageRefusal) -> SecondFactor {
        try check(question)
        guard case .factor(let factor) = screen.asked else { throw .otherQuestion }
        return factor
    }

    private func check(_ question: Int) throws(PhonePageRefusal) {
        guard question == screen.question else { throw .otherQuestion }
    }

    private func answered() {
        screen.answer()
        openPad()
        changes.note()
    }
}

// MARK: What there is

extension PagePhone {
    /// Ends a session, or gives up an enrolment whose code nobody typed. Asked again meanwhile, by a second click or in another tab, it is the same wish.
    func stop(_ id: String) throws(PhonePageRefusal) {
        guard let session = ostiary.sessions.first(where: { $0.id.uuidString.lowercased() == id.lowercased() }) else { throw .unknown("session") }
        guard ending.insert(session.id).inserted else { return }
        ostiary.stop(session)
    }

    func delete(_ account: String) throws(PhonePageRefusal) { ostiary.deleteAccount(try find(account)) }

    /// Another finger is known to the sensor from now on, which ends keys that were made before.
    func enrolFinger() throws(PhonePageRefusal) {
        guard let sensor else { throw .unknown("sensor") }
        sensor.features.insert("finger \(sensor.features.count + 1)")
        changes.note()
    }

    func putAway(notice: Int) {
        screen.putAway(notice)
        changes.note()
    }

    func clearHistory() async {
        do throws(OstiaryError) { try await ostiary.forgetHistory() } catch { screen.take(.error(error, session: nil), at: now()) }
        changes.note()
    }

    /// Asks the servers how things stand.
    func refresh() { ostiary.resume() }

    private func find(_ id: String) throws(PhonePageRefusal) -> Account {
        guard let account = ostiary.accounts?.first(where: { $0.id.rawValue == id }) else { throw .unknown("account") }
        return account
    }
}

extension SecondFactorInfo {
    /// Whether no PIN is taken: the first step of adding biometrics.
    var takesFeatureOnly: Bool { context == .biometricsAdd && showBiometrics }
}
