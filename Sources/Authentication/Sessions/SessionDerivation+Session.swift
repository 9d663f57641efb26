import OstiaryProtocol

extension SessionDerivation {
    /// What an L2 gives the phone to bring back, sealed.
    func offer(
        _ asked: AskedFactor, by binding: Binding, of session: Session, for request: PhoneRequest, shownHash: [UInt8]
    ) -> Encoded<Offer> {
        Encoded(
            Offer(
                madeAt: max(request.now, session.startedAt), binding: binding, secondFactor: asked.need, methods: asked.methods,
                asked: session.asked, requestHash: request.opened.hash, shownHash: shownHash,
                for: Offer.Place(session: session.id, ephemeral: request.ephemeral), sealedBy: sidKey))
    }

    /// code = HMAC(sidKey, "AP1/return" 00 sid || accountId || SHA(L5 without devSig))[0..16]: the same decision, the same code (protocol §6).
    package func returnCode(of session: SessionID, account: AccountID, decision: [UInt8]) -> ReturnCode {
        ReturnCode(Array(MAC(key: sidKey, .return, session.bytes + account.bytes + decision).prefix(ReturnCode.count)))
    }
}
