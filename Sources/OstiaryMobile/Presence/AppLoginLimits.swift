import OstiaryProtocol

/// The end of an AppLogin that nobody used, or that lasted long enough (S1-41).
extension Engine {
    /// Begins to watch over an AppLogin that was just logged in.
    func watchOverAppLogin(_ id: Session.ID) {
        guard session(id)?.shown.isAppLogin == true else { return }
        appLoginClock.start(at: ports.clock.monotonic)
        guard appLoginClock.left(at: ports.clock.monotonic) != nil else { return }
        let guardian = Task { await self.endAppLoginInTime(id) }
        change(id) { $0.guardian = guardian }
    }

    private func endAppLoginInTime(_ id: Session.ID) async {
        while !Task.isCancelled, session(id)?.shown.isLoggedIn == true, let left = appLoginClock.left(at: ports.clock.monotonic) {
            guard left > 0 else { return endAppLoginIfDue() }
            await ports.clock.sleep(seconds: Double(left))
        }
    }

    /// Asked before everything that the app calls for: a device that slept wakes with the limits passed.
    func endAppLoginIfDue() {
        guard let ending = appLoginClock.ending(at: ports.clock.monotonic),
            let session = live.last(where: { $0.shown.isAppLogin && $0.shown.isLoggedIn })
        else { return }
        let account = session.account.flatMap { stored?.account($0) }
        noteEnding(session.shown.id)
        close(session.shown.id, as: ending)
        guard let account, let sid = session.sid else { return }
        let login = ClosedLogin(session: sid, account: account, lastStamp: session.stamps.last, reason: ending == .inactivity ? .inactivity : .user)
        runInBackground { await $0.tellServer(login) }
    }
}
