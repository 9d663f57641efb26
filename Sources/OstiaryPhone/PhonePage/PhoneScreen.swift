import OstiaryMobile

/// What a phone shows: the question that is open, and what there is to read. It is made from the SDK's events, and from nothing else but that the
/// person has answered.
struct PhoneScreen: Sendable {
    /// What is asked of the person, or waited for.
    enum Asked: Sendable, Equatable {
        case nothing
        /// A code was handed over, or a change begun, and the SDK has not said yet what it is about.
        case beginning
        case login(Session, accounts: [Account])
        case enrolment(Session, accounts: [Account], visualHash: VisualHash?)
        case factor(SecondFactor)
        /// Nothing is asked: the servers have the word. The session is nil where the second factor itself is changed.
        case working(Session?)

        var session: Session? {
            switch self {
            case .nothing, .beginning: nil
            case .login(let session, _), .enrolment(let session, _, _): session
            case .factor(let factor): factor.session
            case .working(let session): session
            }
        }
    }

    /// An account that waits for its code to be typed into the page.
    struct Code: Sendable, Equatable {
        let session: Session
        let code: String
    }

    /// A login that a one-time code of these accounts would do for.
    struct Offer: Sendable, Equatable {
        let session: Session
        let accounts: [Account]
    }

    /// Beyond that the oldest notices go, but never a warning.
    static let mostNotices = 12

    private(set) var asked = Asked.nothing
    /// Names what is asked: an answer to another question than this is none.
    private(set) var question = 0
    private(set) var codes: [Code] = []
    /// The newest; whether there is still a code to be had for it, the SDK knows.
    private(set) var offer: Offer?
    private(set) var notices: [PhoneNotice] = []
    /// Whether the last input cost a try.
    private(set) var isCounted = false
    /// Until when no PIN is looked at.
    private(set) var penaltyEnd: ContinuousClock.Instant?
    /// The question that was answered last, to which the SDK may come back.
    private var answered = Asked.nothing
    /// Tries that were used when it was asked last.
    private var failedBefore = 0
    private var lastNotice = 0

    /// Takes what happened at `now`.
    mutating func take(_ event: OstiaryEvent, at now: ContinuousClock.Instant) {
        if let notice = event.notice { tell(notice.kind, notice.text, error: event.error) }
        switch event {
        case .otpAvailable(let session, let accounts): offer = Offer(session: session, accounts: accounts)
        case .confirmLogin(let session, let accounts): ask(.login(session, accounts: accounts))
        case .confirmEnrol(let session, let accounts, let visualHash):
            ask(.enrolment(session, accounts: accounts, visualHash: visualHash))
        case .enrolConfirmation(let session, let code):
            codes.removeAll { $0.session.id == session.id }
            codes.append(Code(session: session, code: code))
            leave(session)
        case .secondFactorStarted(let factor):
            failedBefore = factor.secondFactorInfo.failedAttempts
            take(factor, at: now)
        case .secondFactorUpdated(let factor): take(factor, at: now)
        case .sessionUpdate(let session): follow(session)
        case .sessionLogin(let session), .sessionStop(let session):
            codes.removeAll { $0.session.id == session.id }
            leave(session)
        case .error(let error, let session): take(error, of: session)
        case .accountAdded, .accountUpdated, .accountDeleted, .newDevice, .pinReplacedByBiometric, .token: break
        }
    }

    // MARK: What the person did

    /// Something was begun. What was told of earlier things has had its time; a question that is open stays.
    mutating func begin() {
        notices.removeAll { $0.kind != .warning }
        offer = nil
        if asked == .nothing { ask(.beginning) }
    }

    /// The question was answered.
    mutating func answer() {
        answered = asked
        ask(.working(asked.session))
    }

    /// A notice was read and put away.
    mutating func putAway(_ notice: Int) { notices.removeAll { $0.id == notice } }

    /// Seconds until a PIN is looked at again.
    func penalty(at now: ContinuousClock.Instant) -> Int {
        guard let penaltyEnd, now < penaltyEnd else { return 0 }
        let left = (penaltyEnd - now).components
        return Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0)
    }

    // MARK: What is asked

    private mutating func ask(_ next: Asked) {
        guard next != asked else { return }
        asked = next
        question += 1
    }

    private mutating func take(_ factor: SecondFactor, at now: ContinuousClock.Instant) {
        let info = factor.secondFactorInfo
        isCounted = info.failedAttempts > failedBefore
        failedBefore = info.failedAttempts
        penaltyEnd = info.penalisedFor > 0 && !info.blocked && !factor.stopped ? now + .seconds(info.penalisedFor) : nil
        if factor.stopped {
            // A change of the factor is over with that; of a login its session tells the end.
            return ask(factor.session == nil ? .nothing : .working(factor.session))
        }
        guard info.result != .success, info.result == nil || info.retry else { return ask(.working(factor.session)) }
        asked = .factor(factor)
        question += 1
    }

    /// What a question is about may become known, and known better, while it stands.
    private mutating func follow(_ session: Session) {
        if session.isReturning { return leave(session) }
        switch asked {
        case .beginning where session.state == .starting: ask(.working(session))
        case .working(let current?) where current.id == session.id: asked = .working(session)
        default: break
        }
    }

    /// What goes on with a session asks nothing of the person any more.
    private mutating func leave(_ session: Session) {
        if asked == .beginning || asked.session?.id == session.id { ask(.nothing) }
    }

    private mutating func take(_ error: OstiaryError, of session: Session?) {
        if let session {
            if session.isOver {
                codes.removeAll { $0.session.id == session.id }
                return leave(session)
            }
            // The answer was not taken: the question is still open, under a new number.
            if asked.session?.id == session.id, case .working = asked, error.refusesAnswer { ask(answered) }
        } else {
            switch asked {
            case .beginning, .working(nil): ask(.nothing)
            case .working where error == .lockedMemory: ask(answered)
            case .nothing, .login, .enrolment, .factor, .working: break
            }
        }
    }

    private mutating func tell(_ kind: PhoneNotice.Kind, _ text: String, error: OstiaryError?) {
        // Told once more is told anew.
        notices.removeAll { $0.kind == kind && $0.text == text }
        lastNotice += 1
        notices.append(PhoneNotice(id: lastNotice, kind: kind, text: text, error: error))
        while notices.count(where: { $0.kind != .warning }) > Self.mostNotices, let oldest = notices.firstIndex(where: { $0.kind != .warning }) {
            notices.remove(at: oldest)
        }
    }
}

extension OstiaryEvent {
    fileprivate var error: OstiaryError? { if case .error(let error, _) = self { error } else { nil } }
}

extension OstiaryError {
    /// Whether it says that an answer was not taken, and that another is waited for.
    fileprivate var refusesAnswer: Bool {
        switch self {
        case .userInputRefused, .numberMissing, .accountNotOffered, .accountGivenForEnrolment: true
        default: false
        }
    }
}
