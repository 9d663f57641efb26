import Authentication
import OstiaryProtocol

extension OAuthRows {
    /// What people said yes to on a phone and no client has fetched is no grant yet, and would begin as one after all others have ended. Where an operator ends
    /// what was given, it ends as well: it is a no for its client.
    /// - Returns: the account of each.
    func endUnfetched(_ selection: GivenSelection, at server: ServerID, now: Instant) throws -> [AccountID] {
        var accounts = [AccountID]()
        // The last yes comes at the end of a claim.
        let patience = Session.claimedFor + PolledAuthorization.grace + PolledAuthorization.longestPause
        for waiting in try askedOnPhones(at: server, since: now - patience) {
            guard selection.includes(waiting.client), let session = waiting.session,
                case .loggedIn(let login) = try outcome(ofPushed: session, at: server, now: now),
                now <= waiting.goodUntil(approvedAt: login.at), try isGiver(login.account, of: selection, at: server),
                let denied = waiting.decided(nil, by: now, at: now)
            else { continue }
            try save(denied)
            accounts.append(login.account)
        }
        return accounts
    }

    private func isGiver(_ account: AccountID, of selection: GivenSelection, at server: ServerID) throws -> Bool {
        switch selection {
        case .byAccount(let giver, _): account == giver
        case .byUser(let userID, _): try self.userID(of: account, at: server) == userID
        case .toClient: true
        }
    }
}

extension GivenSelection {
    fileprivate func includes(_ client: ClientID) -> Bool {
        switch self {
        case .byAccount(_, let taker), .byUser(_, let taker): taker == nil || taker == client
        case .toClient(let taker): taker == client
        }
    }
}
