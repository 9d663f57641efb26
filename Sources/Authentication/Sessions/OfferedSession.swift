import OstiaryProtocol

/// The offer that an M1 or L5 brings back: proof that this server showed its sender that session, and what was asked then (protocol §4).
struct OfferedSession: Sendable {
    let offer: Offer
    let id: SessionID
    let account: AccountID
    let request: PhoneRequest

    /// - Throws: `offerWrong` for an offer that this server did not make, or made for another session or another ephemeral key.
    init(
        _ offer: Encoded<Offer>?, of session: SessionID?, for account: AccountID, _ request: PhoneRequest, _ derivation: SessionDerivation
    ) throws(Refusal) {
        guard let offer, let session, derivation.made(offer, for: session, ephemeral: request.ephemeral) else { throw .offerWrong }
        if offer.value.binding == .app {
            guard derivation.appSession(of: account, requestHash: offer.value.requestHash) == session else { throw .sessionTaken }
        }
        self.offer = offer.value
        id = session
        self.account = account
        self.request = request
    }

    /// What the device key and the second factor sign for: everything that this account was shown.
    var sessionHash: [UInt8] {
        Transcript.session(requestHash: offer.requestHash, shownHash: offer.shownHash, account: account)
    }

    /// The session as it is now, if what the person was shown is still what it asks.
    /// - Throws: `sessionUnknown`, `sessionOver`, `questionChanged`, `linkNotAllowed` where such links are refused by now.
    func session(in rows: any AuthenticationRows) throws -> Session {
        let session = try stored(in: rows) ?? begun()
        guard session.server == request.server else { throw Refusal.sessionUnknown }
        // The name of a session comes again when the nonce is used again after everything about it was forgotten.
        guard offer.madeAt >= session.startedAt else { throw Refusal.sessionOver }
        let settled = session.settled(at: request.now)
        switch settled.state {
        case .open:
            let parameters = try rows.existing(request.server).parameters
            guard offer.asked == settled.asked, AskedFactor(of: offer).isStillTold(by: settled.request.demand, under: parameters) else {
                throw Refusal.questionChanged
            }
            guard offer.binding != .unboundLink || !parameters.flags.contains(.strictLinks) else { throw Refusal.linkNotAllowed }
        case .claimed(let claim) where claim.account == account:
            // The text stands still from the claim on; what this account was shown before it changed decides nothing any more.
            guard offer.asked == settled.asked else { throw Refusal.questionChanged }
        case .claimed, .returning, .loggedIn, .denied, .expired, .stopped: break
        }
        return settled
    }

    private func stored(in rows: any AuthenticationRows) throws -> Session? { try rows.session(id) }

    /// An AppLogin has no row before its account has signed an M1 or L5. A row is kept for longer than an offer is good, so that none makes two.
    private func begun() throws(Refusal) -> Session {
        guard offer.binding == .app else { throw .sessionUnknown }
        guard request.now <= offer.madeAt + Session.openFor else { throw .sessionOver }
        return Session(
            id: id, server: request.server, nonceHash: nil, stream: nil, purpose: .app,
            request: LoginRequest(account: account), startedAt: offer.madeAt)
    }

    /// The session with this account's claim on it.
    func claimed(_ session: Session) throws(Refusal) -> Session {
        try session.taking(.claim(account, offer.binding), at: request.now)
    }
}
