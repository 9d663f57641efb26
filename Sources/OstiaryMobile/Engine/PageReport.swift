import OstiaryProtocol

/// What the page of a login hears of this phone when it does not go on (L7, protocol §6): said when it arises and when the login is left, best
/// effort, waited for by nobody.
struct PageReport: Sendable {
    /// The question, and the account that answers it.
    let question: Question
    let account: StoredAccount
    /// What stands in the way; nil while nothing does.
    var trouble: Trouble?

    struct Trouble: Equatable {
        let state: PhoneState
        /// The end of a penalty by the server's clock.
        var until = Instant(0)
    }

    /// What to say when the login is left: what stands in the way. Who leaves in a penalty gave up, and the page does not wait for its end.
    var parting: Trouble {
        guard let trouble, trouble.state != .penalised else { return Trouble(state: .gaveUp) }
        return trouble
    }
}

extension Engine {
    /// How long the one message may take, in seconds.
    private static let reportPatience = 5.0

    /// Until its decision is sent, this login is one that the page may hear of.
    func mayReport(_ question: Question, as account: StoredAccount) {
        flow?.report = PageReport(question: question, account: account)
    }

    /// What came of an input for a second factor: nil when the next one may be right.
    func tellPage(_ trouble: PageReport.Trouble?, of challenge: Challenge) {
        guard flow?.session == challenge.session, challenge.context == .verify, var report = flow?.report else { return }
        report.trouble = trouble
        flow?.report = report
        guard let trouble else { return }
        say(trouble, of: report)
    }

    /// What the servers said of the tries.
    func tellPage(_ tries: StoredTries, of challenge: Challenge) {
        let penalty = tries.penalty(at: ports.clock)
        if tries.blocked {
            tellPage(PageReport.Trouble(state: .blocked), of: challenge)
        } else if penalty > 0 {
            tellPage(PageReport.Trouble(state: .penalised, until: now(at: challenge.rootHash) + UInt64(penalty)), of: challenge)
        } else {
            tellPage(nil, of: challenge)
        }
    }

    /// The login ends here without a decision.
    func sayParting(_ report: PageReport?) {
        if let report { say(report.parting, of: report) }
    }

    /// One after the other, so that the newest is the one that stays.
    private func say(_ trouble: PageReport.Trouble, of report: PageReport) {
        let former = lastWord
        lastWord = runErrand { engine in
            await former?.value
            await engine.send(trouble, of: report)
        }
    }

    private func send(_ trouble: PageReport.Trouble, of report: PageReport) async {
        let (question, account) = (report.question, report.account)
        let message = L7(
            sessionID: question.shown.sessionID, accountID: account.id, state: trouble.state, until: trouble.until, offer: question.shown.offer)
        // Nothing depends on it: whatever goes wrong, the page waits until the session is over.
        _ = try? await exchange(with: question.rootHash, question.ephemeral, timeout: Self.reportPatience) { _ throws(OstiaryError) in
            try sign(message, with: account.keyName).bytes
        }
    }

    func settle() async { await lastWord?.value }
}
