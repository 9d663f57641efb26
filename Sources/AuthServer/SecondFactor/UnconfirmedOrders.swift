import OstiaryProtocol

/// The second-factor server was told for long that keys are to be erased, and has not confirmed it: a Close or a Leave stays queued.
struct UnconfirmedOrders: Error, Equatable, CustomStringConvertible {
    let since: Instant

    /// The same words as long as the same order is the oldest: they are a line of the log, told once.
    var description: String {
        "the second-factor server has not confirmed since \(SecondFactorWatch.Finding.text(since)) that it erased a key which nobody uses any more: "
            + "look at its log and its /ready"
    }
}
