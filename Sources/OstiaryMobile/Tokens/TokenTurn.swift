/// One turn at a time at the tokens of an app, whichever of its processes asks.
struct TokenTurn: Sendable {
    /// Seconds between two looks at a lock that somebody else has, and after how many nobody waits any longer: longer than a lease lasts.
    private static let pause = 0.2
    private static let longestWait: UInt64 = 75

    /// Nil where no other process has these stores.
    let lock: (any TokenLock)?
    let clock: any DeviceClock

    /// - Throws: `busy` where somebody else has it for too long, `storeUnavailable` where it cannot be taken, `cancelled`; and what `body` throws.
    func take<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        let held = try await wait()
        defer { held?.release() }
        return try await body()
    }

    private func wait() async throws(TokenError) -> (any HeldTokenLock)? {
        guard let lock else { return nil }
        let begun = clock.monotonic
        // A device that was restarted since ended this process as well.
        while clock.monotonic < begun + Self.longestWait {
            do { if let held = try lock.take() { return held } } catch { throw .storeUnavailable }
            await clock.sleep(seconds: Self.pause)
            if Task.isCancelled { throw .cancelled }
        }
        throw .busy
    }
}
