import OstiaryProtocol

/// One-time codes, made on the thread of the app that asks: they are the answer of a call that does not wait.
extension Core {
    /// Makes the code of this moment, and ends the login with the first.
    func oneTimeCode(for id: Session.ID, of account: Account.ID) throws(OstiaryError) -> OneTimeCode {
        note(.person)
        let (scan, source) = try codes.source(for: id, of: account, at: clock.monotonic)
        let key: SecretBytes
        do throws(KeyStoreError) { key = SecretBytes(try keys.secret(named: source.secretName)) } catch { throw .keyStore }
        // A key store may have taken its time.
        let now = clock.monotonic
        guard let interval = scan.interval(at: now) else { throw .linkOld }
        guard codes.takeOver(id) else { throw .wrongOrder }
        let code = OfflineCode(reference: source.reference, key: key, session: scan.session, interval: interval, length: source.length)
        send(.oneTimeCode(id, account))
        return OneTimeCode(text: code.exposed, changesIn: Int(clamping: scan.secondsLeft(at: now)))
    }
}
