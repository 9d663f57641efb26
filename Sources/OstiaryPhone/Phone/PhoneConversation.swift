import OstiaryMobile
import OstiaryProgram

/// One enrolment, login or change of the second factor from its first event to its last: tells what happens, asks what must be asked, and knows how
/// the command ends.
struct PhoneConversation: Sendable {
    private enum Happening: Sendable {
        case event(OstiaryEvent)
        case answer(PhonePrompts.Answer)
        case timeIsUp
    }

    private let ostiary: Ostiary
    private let output: PhoneOutput
    private let answers: PhoneAnswers
    private let prompts: PhonePrompts
    /// How long to stay after the login, in seconds.
    private let hold: Int

    private let happenings: AsyncStream<Happening>
    private let happen: AsyncStream<Happening>.Continuation

    init(_ ostiary: Ostiary, output: PhoneOutput, answers: PhoneAnswers, hold: Int = 0) {
        self.ostiary = ostiary
        self.output = output
        self.answers = answers
        self.hold = hold
        prompts = PhonePrompts(pinsAreLines: answers.pinsAreLines)
        (happenings, happen) = AsyncStream.makeStream()
    }

    /// What is known so far.
    fileprivate struct Progress {
        var session: Session?
        /// Those of which a one-time code would do.
        var accountsWithCodes: [Account] = []
        var secondFactor: SecondFactorInfo?
        var isLoggedIn = false
        /// A question for a second factor is open.
        var isAsking = false
        /// The prompt for a feature was answered: from here on the PIN is asked.
        var wasPrompted = false
        /// The person gave up a change of the second factor, of which no session tells the end.
        var gaveUp = false
    }

    /// - Parameter start: begins what this conversation is about.
    func run(_ start: (Ostiary) -> Void) async -> PhoneExit {
        let events = ostiary.events
        let listener = Task { for await event in events { happen.yield(.event(event)) } }
        defer {
            prompts.callOff()
            listener.cancel()
        }
        start(ostiary)
        var progress = Progress()
        for await happening in happenings {
            switch happening {
            case .event(let event):
                output.tell(event)
                if let exit = react(to: event, &progress) {
                    await ostiary.settle()
                    return exit
                }
            case .answer(let answer): pass(on: answer, &progress)
            case .timeIsUp: return .done
            }
        }
        return .other
    }

    // MARK: Events

    private func react(to event: OstiaryEvent, _ progress: inout Progress) -> PhoneExit? {
        switch event {
        case .otpAvailable(let session, let accounts):
            progress.session = session
            progress.accountsWithCodes = accounts
        case .confirmLogin(let session, let accounts):
            progress.session = session
            return confirm(session, among: accounts, question: "Is that you?", &progress)
        case .confirmEnrol(let session, _, _):
            progress.session = session
            return confirm(session, among: [], question: "Enrol this phone?", &progress)
        case .secondFactorStarted(let secondFactor):
            note(secondFactor, &progress)
            if !secondFactor.stopped { askForFactor(secondFactor, &progress) }
        case .secondFactorUpdated(let secondFactor):
            note(secondFactor, &progress)
            let info = secondFactor.secondFactorInfo
            if !secondFactor.stopped, info.result != .success, info.retry { askForFactor(secondFactor, &progress) }
            if secondFactor.stopped, progress.session == nil { return progress.exit(afterChange: info) }
        case .sessionUpdate(let session): if progress.session == nil { progress.session = session }
        case .sessionLogin(let session) where session.id == progress.session?.id: return loggedIn(&progress)
        case .sessionStop(let session) where session.id == progress.session?.id: return progress.exit(after: session.ending)
        case .error(.userInputRefused, let session?), .error(.numberMissing, let session?):
            // It goes on in the SDK, which waits for another text; the command has no other.
            ostiary.stop(session)
            return .usage
        case .error(.serverConnection, let session?) where answers.takesCode && session.otpAvailable:
            return makeCode(for: session, among: progress.accountsWithCodes)
        case .error(let error, let session): return progress.exit(after: error, in: session)
        case .sessionLogin, .sessionStop, .enrolConfirmation, .accountAdded, .accountUpdated, .accountDeleted, .newDevice, .pinReplacedByBiometric,
            .token:
            break
        }
        return nil
    }

    /// The server cannot be reached: the code goes on in its place. That the login is over here is told by the SDK.
    private func makeCode(for session: Session, among accounts: [Account]) -> PhoneExit? {
        do {
            guard let chosen = try answers.choice(among: accounts) else { throw PhoneInputError.severalAccounts }
            output.tell(try ostiary.oneTimeCode(for: session, and: chosen), of: chosen, for: session)
            return nil
        } catch let error as OstiaryError {
            // It could be reached after all, and asks in a moment.
            if error == .wrongOrder { return nil }
            output.tell(error)
            return error.exit
        } catch {
            ostiary.stop(session)
            output.failure("\(error)")
            return .usage
        }
    }

    private func loggedIn(_ progress: inout Progress) -> PhoneExit? {
        guard hold > 0 else { return .done }
        progress.isLoggedIn = true
        Task {
            try await Task.sleep(for: .seconds(hold))
            happen.yield(.timeIsUp)
        }
        return nil
    }

    private func confirm(_ session: Session, among accounts: [Account], question: String, _ progress: inout Progress) -> PhoneExit? {
        if answers.deny || answers.notMe {
            ostiary.deny(session, notMe: answers.notMe)
            return nil
        }
        if session.needsNumber { return confirmByNumber(session, accounts) }
        do throws(PhoneInputError) {
            let chosen = accounts.isEmpty ? nil : try answers.choice(among: accounts)
            if answers.yes {
                // The only one is named with the question.
                if accounts.count > 1, let chosen { output.remark("as \(others: chosen.username)") }
                ostiary.setAccount(chosen, for: session, with: answers.userInput)
            } else {
                ask { [prompts] in await prompts.confirmation(of: question, among: chosen.map { [$0] } ?? accounts) }
            }
            return nil
        } catch {
            output.failure(error.description)
            return .usage
        }
    }

    /// A number of the command line answers once: another than that the command does not have.
    private func confirmByNumber(_ session: Session, _ accounts: [Account]) -> PhoneExit? {
        guard let number = answers.number else {
            ask { [prompts] in await prompts.number(for: accounts.first) }
            return nil
        }
        guard session.wrongNumbers == 0 else {
            ostiary.stop(session)
            return .secondFactorFailed
        }
        ostiary.setAccount(accounts.first, for: session, with: answers.userInput, number: number)
        return nil
    }

    private func note(_ secondFactor: SecondFactor, _ progress: inout Progress) {
        progress.secondFactor = secondFactor.secondFactorInfo
        progress.isAsking = !secondFactor.stopped
    }

    /// The feature first, once; then the PIN. The first step of adding biometrics takes no PIN.
    private func askForFactor(_ question: SecondFactor, _ progress: inout Progress) {
        let info = question.secondFactorInfo
        if answers.usesBiometrics, info.showBiometrics, !progress.wasPrompted {
            progress.wasPrompted = true
            return ostiary.sfInput(BiometricInfo(reason: "ostiary phone"))
        }
        if info.context == .biometricsAdd, info.showBiometrics {
            progress.gaveUp = true
            return ostiary.sfCancel()
        }
        ask { [prompts] in await prompts.pin(for: question) }
    }

    private func ask(_ question: @Sendable @escaping () async -> PhonePrompts.Answer) {
        Task { happen.yield(.answer(await question())) }
    }

    // MARK: Answers

    private func pass(on answer: PhonePrompts.Answer, _ progress: inout Progress) {
        switch (answer, progress.session) {
        case (.pin(let pin), _):
            ostiary.sfInput(pin)
            pin.clear()
        case (.yes(let account), let session?): ostiary.setAccount(account, for: session, with: answers.userInput)
        case (.number(let account, let number), let session?):
            ostiary.setAccount(account, for: session, with: answers.userInput, number: number)
        case (.no(let notMe), let session?): ostiary.deny(session, notMe: notMe)
        case (.gaveUp, let session?):
            tellUnchecked(progress)
            ostiary.stop(session)
        case (.gaveUp, nil):
            tellUnchecked(progress)
            progress.gaveUp = true
            ostiary.sfCancel()
        case (.yes, nil), (.number, nil), (.no, nil): break
        }
    }

    /// A person was told at the prompt why the last PIN came to nothing; a script that has no more gets its reason as an event.
    private func tellUnchecked(_ progress: Progress) {
        guard output.isJSON, progress.secondFactor?.result == .error else { return }
        output.tell(.error(.secondFactorUnavailable, session: progress.session))
    }
}

extension PhoneConversation.Progress {
    fileprivate func exit(after ending: Session.Ending?) -> PhoneExit {
        if isLoggedIn { return .done }
        switch ending {
        case .otp, .enrolled: return .done
        case .denied: return .cancelledOrDenied
        case .cancelled, .user: return secondFactor.flatMap(\.exit) ?? .cancelledOrDenied
        case .timeout, .server, .replaced, .otherBrowser: return .codeOver
        case .failed, .account, .inactivity, nil: return secondFactor.flatMap(\.exit) ?? .other
        }
    }

    /// After the last question of a change of the second factor; nil when an error is still to be told.
    fileprivate func exit(afterChange info: SecondFactorInfo) -> PhoneExit? {
        if info.result == .success { return .done }
        return gaveUp ? info.exit ?? .cancelledOrDenied : nil
    }

    /// Nil when it goes on in spite of the error.
    fileprivate func exit(after error: OstiaryError, in other: Session?) -> PhoneExit? {
        guard let other else { return session == nil && !isAsking ? error.exit : nil }
        guard session == nil || other.id == session?.id, other.isOver else { return nil }
        if error.exit == .other || error.exit == .cancelledOrDenied { return secondFactor.flatMap(\.exit) ?? error.exit }
        return error.exit
    }
}

extension SecondFactorInfo {
    /// How a command ends when this is the last that was heard of the PIN; nil when the PIN was not the reason.
    fileprivate var exit: PhoneExit? {
        switch result {
        case .success, nil: nil
        case .error: .other
        case .failed: blocked || penalisedFor > 0 ? .blockedOrPenalised : .secondFactorFailed
        }
    }
}
