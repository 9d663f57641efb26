import OstiaryMobile

/// One enrolment or login from its first event to its last: tells what happens, asks what must be asked, and knows how the command ends.
struct PhoneConversation: Sendable {
    private enum Happening: Sendable {
        case event(OstiaryEvent)
        case answer(PhonePrompts.Answer)
        case timeIsUp
    }

    private let ostiary: Ostiary
    private let voice: PhoneVoice
    private let answers: PhoneAnswers
    private let prompts: PhonePrompts
    /// How long to stay after the login, in seconds.
    private let hold: Int

    private let happenings: AsyncStream<Happening>
    private let happen: AsyncStream<Happening>.Continuation

    init(_ ostiary: Ostiary, voice: PhoneVoice, answers: PhoneAnswers, hold: Int = 0) {
        self.ostiary = ostiary
        self.voice = voice
        self.answers = answers
        self.hold = hold
        prompts = PhonePrompts(pinsAreLines: answers.pinsAreLines)
        (happenings, happen) = AsyncStream.makeStream()
    }

    /// What is known so far.
    fileprivate struct Progress {
        var session: Session?
        var secondFactor: SecondFactorInfo?
        var isLoggedIn = false
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
                voice.tell(event)
                if let exit = react(to: event, &progress) { return exit }
            case .answer(let answer): pass(on: answer, &progress)
            case .timeIsUp: return .done
            }
        }
        return .other
    }

    // MARK: Events

    private func react(to event: OstiaryEvent, _ progress: inout Progress) -> PhoneExit? {
        switch event {
        case .confirmLogin(let session, let accounts):
            progress.session = session
            return confirm(session, among: accounts, question: "Is that you?", &progress)
        case .confirmEnrol(let session, _, _):
            progress.session = session
            return confirm(session, among: [], question: "Enrol this phone?", &progress)
        case .secondFactorStarted(let secondFactor):
            progress.secondFactor = secondFactor.secondFactorInfo
            if !secondFactor.stopped { askForPIN(secondFactor) }
        case .secondFactorUpdated(let secondFactor):
            progress.secondFactor = secondFactor.secondFactorInfo
            let info = secondFactor.secondFactorInfo
            if !secondFactor.stopped, info.result != .success, info.retry { askForPIN(secondFactor) }
        case .sessionUpdate(let session): if progress.session == nil { progress.session = session }
        case .sessionLogin(let session) where session.id == progress.session?.id: return loggedIn(&progress)
        case .sessionStop(let session) where session.id == progress.session?.id: return progress.exit(after: session.ending)
        case .error(let error, let session): return progress.exit(after: error, in: session)
        case .sessionLogin, .sessionStop, .enrolConfirmation, .accountAdded, .accountUpdated, .accountDeleted, .newDevice: break
        }
        return nil
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
        do throws(PhoneInputError) {
            let chosen = accounts.isEmpty ? nil : try answers.choice(among: accounts)
            if answers.yes {
                ostiary.setAccount(chosen, for: session, with: answers.userInput)
            } else {
                ask { [prompts] in await prompts.confirmation(of: question, among: chosen.map { [$0] } ?? accounts) }
            }
            return nil
        } catch {
            voice.complain(error.description)
            return .usage
        }
    }

    private func askForPIN(_ question: SecondFactor) {
        ask { [prompts] in await prompts.pin(for: question) }
    }

    private func ask(_ question: @Sendable @escaping () async -> PhonePrompts.Answer) {
        Task { happen.yield(.answer(await question())) }
    }

    // MARK: Answers

    private func pass(on answer: PhonePrompts.Answer, _ progress: inout Progress) {
        guard let session = progress.session else { return }
        switch answer {
        case .yes(let account): ostiary.setAccount(account, for: session, with: answers.userInput)
        case .no(let notMe): ostiary.deny(session, notMe: notMe)
        case .pin(let pin):
            ostiary.sfInput(pin)
            pin.clear()
        case .gaveUp: ostiary.stop(session)
        }
    }
}

extension PhoneConversation.Progress {
    fileprivate func exit(after ending: Session.Ending?) -> PhoneExit {
        if isLoggedIn { return .done }
        switch ending {
        case .denied: return .cancelledOrDenied
        case .cancelled, .user: return secondFactor.flatMap(\.exit) ?? .cancelledOrDenied
        case .timeout, .server, .replaced: return .codeOver
        case .failed, .account, .inactivity, nil: return secondFactor.flatMap(\.exit) ?? .other
        }
    }

    /// Nil when the session goes on in spite of the error.
    fileprivate func exit(after error: OstiaryError, in other: Session?) -> PhoneExit? {
        guard let other else { return session == nil ? error.exit : nil }
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
