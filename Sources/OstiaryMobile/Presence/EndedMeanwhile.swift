import OstiaryProtocol

/// A login that another process of this phone ended while its answer was on the way (protocol §8).
extension Engine {
    /// Asked before anybody hears that a login counts. One that was given up is ended now, because its server had nobody to log out before; one that is
    /// written down no more was over for whoever took it away, which its server confirms.
    /// - Parameter isNoted: whether something was written down of it until now.
    func goesOn(_ id: Session.ID, isNoted: Bool) async -> Bool {
        guard let session = session(id), let sid = session.sid, let account = session.account.flatMap({ stored?.account($0) }) else { return true }
        if stored?.sessions.contains(where: { $0.id == id && $0.isEnding == true }) == true {
            // Before the end is told: it may be the last that a process waits for.
            await tellServer(ClosedLogin(session: sid, account: account, lastStamp: session.stamps.last), patience: 0)
            close(id, as: .user)
        } else if !isNoted, let ending = await ending(of: id) {
            close(id, as: ending)
        }
        return self.session(id)?.shown.goesOn == true
    }

    /// Why a server says that a session is over; nil where it goes on, and where nothing was heard.
    private func ending(of id: Session.ID) async -> Session.Ending? {
        do throws(OstiaryError) {
            let answer = try await pingAnswer(id, hold: 0)
            return answer.state == .stopped ? Session.Ending(answer.reason) : nil
        } catch {
            return error.isFinalAnswer ? .server : nil
        }
    }
}
