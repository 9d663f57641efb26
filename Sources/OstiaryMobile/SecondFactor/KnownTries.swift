import OstiaryProtocol

/// What is known here of the servers' counters, so that it can be shown before the next try. The servers decide; a store that refuses only makes
/// the next screen less exact.
extension Engine {
    func tries(of challenge: FactorChallenge) -> StoredTries { stored?.instance(challenge.instance.id)?.tries ?? .none }

    /// What was heard of the counter of tries.
    func remember(_ tries: Tries, blocked: Bool = false, by word: StoredTries.Word, of challenge: FactorChallenge) {
        let isBlocked = blocked || (tries.most > 0 && tries.failed >= tries.most)
        let heard = StoredTries(tries, blocked: isBlocked, by: word, heardAt: ports.clock)
        note(of: challenge) { instance in
            instance.tries = heard
            instance.pinUse?.left = tries.withoutPINLeft == Tries.unlimited ? nil : tries.withoutPINLeft
        }
        tellPage(heard, of: challenge)
    }

    /// No failed tries any more: the right PIN ends the count of biometrics as well, a biometric is one more.
    /// - Parameter tries: as they were told before the PIN was right; with our own count they make the server's limit.
    func rememberSuccess(_ method: Methods, of challenge: FactorChallenge, told tries: Tries? = nil) {
        let now = now(at: challenge.rootHash).seconds
        note(of: challenge) { instance in
            instance.tries = instance.tries.afterSuccess
            if method.contains(.pin) {
                let used = instance.pinUse?.withoutPIN ?? 0
                let left = tries.flatMap { $0.withoutPINLeft == Tries.unlimited ? nil : UInt16(clamping: Int($0.withoutPINLeft) + used) }
                instance.pinUse = StoredPINUse(lastPIN: now, left: left)
            } else {
                instance.pinUse?.withoutPIN += 1
                if let left = instance.pinUse?.left, left > 0 { instance.pinUse?.left = left - 1 }
            }
        }
    }

    /// The server wants the PIN before another biometric.
    func rememberPINRequired(of challenge: FactorChallenge) {
        let now = now(at: challenge.rootHash).seconds
        note(of: challenge) { instance in
            var use = instance.pinUse ?? StoredPINUse(lastPIN: now)
            use.left = 0
            instance.pinUse = use
        }
    }

    /// A hundred tries since the last right PIN: neither PIN nor feature is taken any more.
    func rememberEnd(of challenge: FactorChallenge) {
        rememberPINRequired(of: challenge)
        note(of: challenge) { $0.tries = $0.tries.blockedForGood }
        tellPage(PageReport.Trouble(state: .blocked), of: challenge)
    }

    /// How many biometrics may follow, as the server told it after it was done.
    func remember(withoutPINLeft left: UInt16, of challenge: FactorChallenge) {
        note(of: challenge) { $0.pinUse?.left = left == Tries.unlimited ? nil : left }
    }

    private func note(of challenge: FactorChallenge, _ change: (inout StoredInstance) -> Void) {
        do throws(OstiaryError) {
            try write { (state) throws(OstiaryError) in state.setInstance(challenge.instance.id, change) }
        } catch {
            complain(error, about: challenge)
        }
    }
}
