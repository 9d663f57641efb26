/// Lets one process at a time change the tokens of an app: the app, or one of its extensions.
///
/// Two that refresh at once with one refresh token are not a disaster at Ostiary's provider, which gives both the same successor; others take the second for
/// a thief, and end the login.
public protocol TokenLock: Sendable {
    /// Takes the lock, or finds that somebody has it: nil then. It never waits.
    func take() throws(AccountStoreError) -> (any HeldTokenLock)?
}

/// A lock that was taken. It is let go at the latest when its process ends, or when its time is over.
public protocol HeldTokenLock: Sendable {
    func release()
}
