import OstiaryProtocol

/// The one enrolment, login or change of the second factor that is going on, and what it waits for.
struct Flow {
    /// What the flow can take now.
    enum Step {
        /// It waits for a server or computes.
        case working
        /// It waits for `startUserInteraction`.
        case ready
        /// It waits for `setAccount` with one of these, or with nil for an enrolment.
        case confirming([AccountID], isEnrolment: Bool, needsNumber: Bool = false)
        /// It waits for a second factor.
        case secondFactor
    }

    /// What a flow waited for.
    enum Input {
        case goOn
        case account(AccountID?, LoginAnswer)
        case factor(FactorInput)
        case aborted
    }

    /// Why a flow is to stop.
    enum Abort {
        case cancelled
        case denied(notMe: Bool)
        /// Nobody answered in the configured time.
        case inputTimeout
    }

    /// The session that it is about; for a change of the second factor itself a name that no session has.
    let session: Session.ID
    var task: Task<Void, Never>?
    var step = Step.working
    var abort: Abort?
    /// What the server is told when the flow stops here: because of the person, or (nil) of an error that leaves it unsure.
    var onAbort: (@Sendable (isolated Engine, Abort?) async -> Void)?
    /// What the page of a login hears when the flow stops here, while nothing is decided.
    var report: PageReport?
    fileprivate var waiting: CheckedContinuation<Input, Never>?
    /// How often it waited.
    fileprivate var waits = 0

    init(session: Session.ID) { self.session = session }
}

/// Feeding the flow: each call belongs to one step, anything else is `wrongOrder`.
extension Engine {
    /// Makes the running flow wait for the person, whom `event` asks: it is told when the answer can be taken.
    func wait(at step: Flow.Step, telling event: OstiaryEvent? = nil) async throws(OstiaryError) -> Flow.Input {
        guard flow?.abort == nil else { throw .cancelled }
        flow?.waits += 1
        let limit = limitInput(at: step)
        defer { limit?.cancel() }
        let input = await withCheckedContinuation { continuation in
            flow?.step = step
            flow?.waiting = continuation
            if flow == nil { continuation.resume(returning: .aborted) }
            if let event { emit(event) }
        }
        if case .aborted = input { throw .cancelled }
        return input
    }

    /// A session that is known now: shown, and if the app wants it so, kept until it says to go on.
    func becomeReady(_ id: Session.ID, _ describe: (inout Session) -> Void) async throws(OstiaryError) {
        try checkNotAborted()
        update(id) { session in
            describe(&session)
            session.state = .readyForUserInteraction
        }
        if configuration.manuallyStartUserInteraction, session(id)?.shown.isAppLogin == false { _ = try await wait(at: .ready) }
    }

    /// Ends the wait for a second factor after the configured time.
    private func limitInput(at step: Flow.Step) -> Task<Void, Never>? {
        guard case .secondFactor = step, configuration.secondFactorUserInputTimeout > .zero, let flow else { return nil }
        return Task { [id = flow.session, number = flow.waits] in
            await ports.clock.sleep(seconds: configuration.secondFactorUserInputTimeout.inSeconds)
            guard !Task.isCancelled, self.flow?.session == id, self.flow?.waits == number, self.flow?.waiting != nil else { return }
            abort(.inputTimeout)
        }
    }

    private func feed(_ input: Flow.Input) {
        let waiting = flow?.waiting
        flow?.waiting = nil
        flow?.step = .working
        waiting?.resume(returning: input)
    }

    /// Stops the running flow wherever it is.
    func abort(_ reason: Flow.Abort) {
        guard flow != nil, flow?.abort == nil else { return }
        flow?.abort = reason
        flow?.task?.cancel()
        feed(.aborted)
    }

    /// Throws when what this task does was stopped; asked after every wait.
    func checkNotAborted() throws(OstiaryError) {
        if Task.isCancelled { throw .cancelled }
    }

    /// `startUserInteraction`: harmless when the SDK went on by itself.
    func goOn(_ id: Session.ID?) throws(OstiaryError) {
        guard let flow, id == nil || id == flow.session else { throw .wrongOrder }
        if case .ready = flow.step { feed(.goOn) } else if configuration.manuallyStartUserInteraction { throw .wrongOrder }
    }

    func confirm(_ account: Account.ID?, _ id: Session.ID, _ answer: LoginAnswer) throws(OstiaryError) {
        guard let flow, flow.session == id, case .confirming(let offered, let isEnrolment, let needsNumber) = flow.step else { throw .wrongOrder }
        guard WireText.allows(answer.userInput, cap: 4_096) else { throw .userInputRefused }
        if isEnrolment {
            guard account == nil else { throw .accountGivenForEnrolment }
            feed(.account(nil, LoginAnswer()))
        } else {
            guard let chosen = account?.accountID, offered.contains(chosen) else { throw .accountNotOffered }
            guard !needsNumber || LoginNumber.isOne(answer.number) else { throw .numberMissing }
            feed(.account(chosen, needsNumber ? answer : LoginAnswer(userInput: answer.userInput)))
        }
    }

    func take(_ input: FactorInput) throws(OstiaryError) {
        guard case .secondFactor? = flow?.step else { throw .wrongOrder }
        feed(.factor(input))
    }

    func cancelSecondFactor() throws(OstiaryError) {
        guard case .secondFactor? = flow?.step else { throw .wrongOrder }
        abort(.cancelled)
    }

    func deny(_ id: Session.ID, notMe: Bool) throws(OstiaryError) {
        guard flow?.session == id, flow?.abort == nil else { throw .wrongOrder }
        abort(.denied(notMe: notMe))
    }
}
