/// The time limits of this server, in seconds (protocol §2).
package enum Times {
    /// How far the time in a phone's attempt, or in a reset, may be from ours.
    package static let requestWindow: UInt64 = 120
    /// A moment of ours that is further ahead than this was written by a clock that ran ahead and was put right since.
    package static let clockSlack: UInt64 = 60
    /// From the reservation to the proof, by our clock.
    package static let proofWindow: UInt64 = 120
    /// From the evaluation under a new key to the proof that makes it the instance's key.
    package static let pendingLifetime: UInt64 = 600
    /// From the proof of a PIN_CHANGE_VERIFY to the PIN_CHANGE_SET that it vouches for.
    package static let voucherLifetime: UInt64 = 300
    /// How long an attempt is remembered after its own time has left the request window.
    package static let attemptRetention: UInt64 = 600
    /// For how long the clock has to have gone on without a leap before attempts and resets are forgotten by it: both sides of the request window, and a
    /// margin. What a clock that leapt forgets then is out of the window when that is put right.
    package static let forgettingPatience = 2 * requestWindow + clockSlack
    /// The span in which resets by message are counted.
    package static let resetSpan: UInt64 = 86_400
}
