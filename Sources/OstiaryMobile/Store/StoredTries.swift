import OstiaryProtocol

/// The last that was heard of the counter of tries, so that it can be shown before the next try (protocol §7).
struct StoredTries: Codable, Sendable, Equatable {
    let failed: UInt8
    let most: UInt8
    /// The penalty in seconds, as it was told at the two moments below.
    let wait: UInt32
    let blocked: Bool
    let wall: UInt64
    let monotonic: UInt64
    /// Whether the second-factor server signed it. Documents of before that was asked do not say.
    let isSigned: Bool?

    /// Whose word it is.
    enum Word {
        /// The second-factor server's, sealed for this phone (protocol §7, SfEval).
        case secondFactor
        /// The authentication server's, about what the second-factor server told it (M2 without an evaluation).
        case server

        /// The most seconds of a penalty that it is believed for. No second-factor server has a penalty of more than a day (protocol §7, Policy); the
        /// other server's word is only shown, so that five minutes are enough: whoever types a PIN after them hears what is left.
        var longestWait: UInt32 {
            switch self {
            case .secondFactor: 86_400
            case .server: 300
            }
        }
    }

    static let none = StoredTries(failed: 0, most: 0, wait: 0, blocked: false, wall: 0, monotonic: 0)

    init(_ tries: Tries, blocked: Bool, by word: Word, heardAt clock: any DeviceClock) {
        self.init(
            failed: tries.failed, most: tries.most, wait: min(tries.wait, word.longestWait), blocked: blocked, wall: clock.wall,
            monotonic: clock.monotonic, isSigned: word == .secondFactor)
    }

    private init(failed: UInt8, most: UInt8, wait: UInt32, blocked: Bool, wall: UInt64, monotonic: UInt64, isSigned: Bool? = nil) {
        self.failed = failed
        self.most = most
        self.wait = wait
        self.blocked = blocked
        self.wall = wall
        self.monotonic = monotonic
        self.isSigned = isSigned
    }

    /// No failed tries any more; the limit stays known.
    var afterSuccess: StoredTries { StoredTries(failed: 0, most: most, wait: 0, blocked: false, wall: 0, monotonic: 0) }

    /// Blocked, with whatever was known of the count.
    var blockedForGood: StoredTries { StoredTries(failed: failed, most: most, wait: 0, blocked: true, wall: 0, monotonic: 0) }

    /// Whether a PIN is worth asking the servers for: not while a penalty runs that the second-factor server signed. What the authentication server
    /// alone says keeps nobody from trying.
    func mayAsk(at clock: any DeviceClock) -> Bool { isSigned != true || penalty(at: clock) == 0 }

    /// Seconds of the penalty that are left. The monotonic clock decides, so that setting the other one changes nothing; after a restart of
    /// the device, which sets it back, the wall clock does, and what surely passed since the restart counts in any case.
    func penalty(at clock: any DeviceClock) -> UInt32 {
        let now = (wall: clock.wall, monotonic: clock.monotonic)
        let passed: UInt64
        if now.monotonic >= monotonic {
            passed = now.monotonic - monotonic
        } else {
            passed = max(now.monotonic, now.wall > wall ? now.wall - wall : 0)
        }
        return passed >= UInt64(wait) ? 0 : wait - UInt32(passed)
    }
}
