import OstiaryProtocol

/// Saying so: what came of an input, and that the login ends without a decision.
extension Engine {
    /// How long the one message may take, in seconds.
    private static let reportPatience = 5.0

    /// What came of an input for a second factor: nil when the next one may be right.
    func tellPage(_ trouble: PageReport.Trouble?, of challenge: FactorChallenge) {
        guard flow?.session == challenge.session, challenge.context == .verify, var report = flow?.report else { return }
        report.trouble = trouble
        flow?.report = report
        guard let trouble else { return }
        say(trouble, of: report)
    }

    /// What the servers said of the tries.
    func tellPage(_ tries: StoredTries, of challenge: FactorChallenge) {
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
        lastWord = runInBackground { engine in
            await former?.value
            await engine.send(trouble, of: report)
        }
    }

    private func send(_ trouble: PageReport.Trouble, of report: PageReport) async {
        let account = report.account
        let message = L7(sessionID: report.session, accountID: account.id, state: trouble.state, until: trouble.until, offer: report.offer)
        var line = ServerLine(of: account, ephemeral: report.ephemeral, patience: 0)
        line.timeout = Self.reportPatience
        // Nothing depends on it: whatever goes wrong, the page waits until the session is over.
        _ = try? await line.send(message, by: self)
    }
}
