import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting

/// Both servers in one actor, as far as a phone can tell: the rules of protocol §4 to §8 without storage, pages and REST. What a test wants to
/// go wrong is set in `mishaps`.
actor TestServer {
    struct Enrolment {
        let secret: [UInt8]
        /// The headless account that it gives a second factor.
        var upgrades: AccountID?
        var claim: (deviceKey: [UInt8], account: AccountID, hash: [UInt8], ephemeral: [UInt8])?
        var isUsed = false
    }

    struct Account {
        let deviceKey: [UInt8]
        /// Of a headless account a name that no instance has.
        var instance: InstanceID
        var isHeadless = false
        /// What it has once the code of its upgrade is typed.
        var upgrading: InstanceID?
        var state = EnrolmentState.pending
        var isBlocked = false
        /// Of its one-time codes: 77, and a key of nines, for the first account of a server, and the next numbers for those after it.
        var otp: (reference: UInt32, key: [UInt8]) = (77, [UInt8](repeating: 9, count: 32))
    }

    struct Instance {
        var key: OPRFKey
        var share: [UInt8]
        var secondFactorKey: [UInt8]
        var epoch: UInt32 = 1
        /// Of the next epoch: its attempt, key and share.
        var pending: (attempt: AttemptID, key: OPRFKey, share: [UInt8])?
        var biometricKey: [UInt8]?
        var withoutPIN = 0
        /// The number of the last PIN that was right.
        var pinProven = 0
        var highest = 0
        var proven = 0
        var penaltyUntil: UInt64 = 0
        var failed: Int { highest - proven }
    }

    struct LoginSession {
        let isApp: Bool
        /// How often what it asks was changed.
        var asked: UInt32 = 0
        var claimedBy: AccountID?
        var outcome: (unsigned: [UInt8], answer: L6)?
        var stop: StopReason?
        var lastStamp = Instant(0)
        var pings = 0
        /// Accepted, and its browser has not come back.
        var isReturning = false
        /// Its browser is back, and the phone does not know: its next ping is answered at once.
        var hasReturned = false
        var denial: Decision?
        /// The account whose phone fetches it; nil for a login by code or app.
        var waitsFor: AccountID?
        var wrongNumbers = 0
        /// What the phone said of itself to the page, in order.
        var reports: [L7] = []
    }

    let clock: TestClock
    nonisolated let random = SystemRandomSource()
    /// Seals offers.
    nonisolated let offerKey = SystemRandomSource().bytes(32)
    var keys: TestServerKeys
    var secondFactor: TestServerKeys
    var mishaps = Mishaps()
    var lies = Lies()
    var settings = Settings()
    var enrolments: [EnrolmentID: Enrolment] = [:]
    var accounts: [AccountID: Account] = [:]
    var instances: [InstanceID: Instance] = [:]
    var attempts: [AttemptID: (blinded: [UInt8], evaluation: SecondFactorEvaluation)] = [:]
    var firstSets: [AttemptID: OPRFKey] = [:]
    /// Attempts as they came, and what their M3 was answered.
    var heard: [AttemptID: (attempt: Attempt, payload: [UInt8])] = [:]
    var completed: [AttemptID: (content: [UInt8], answer: M4)] = [:]
    /// Verified PINs and biometrics that a new PIN may follow, by the attempt.
    var vouchers: [AttemptID: (epoch: UInt32, method: Methods, at: Instant)] = [:]
    /// By which method each login and operation was approved, in order.
    var approvals: [Methods] = []
    var sessions: [SessionID: LoginSession] = [:]
    var caches: [AccountID: (token: [UInt8], isSingleUse: Bool)] = [:]
    var tombstones: [AccountID: [UInt8]] = [:]
    var shares: [AccountID: [UInt8]] = [:]
    var declines: [Decision] = []
    var userInputs: [String] = []
    /// What waits for phones, oldest first.
    var waitingLinks: [Encoded<LoginLink>] = []
    /// What each yes to a waiting login brought.
    var numbers: [String] = []
    /// Wrong ones that the account may still try today.
    var numbersLeft = 9
    /// What devices show, with the logins about it; and what phones brought of it.
    var devices: [String: SessionID] = [:]
    var brought: [String] = []
    /// What each L5 named for tokens.
    var tokenKeys: [TokenKey?] = []
    /// What the service behind answers; nil where there is none. And the call of each GetToken.
    var serviceToken: [UInt8]?
    var tokenCalls: [CallID] = []
    /// Awaited before a GetToken is answered.
    var beforeToken: (@Sendable () async -> Void)?
    /// What the Data Service answers; nil where there is none. And each GetData.
    var dataService: (@Sendable ([UInt8]) async -> [UInt8])?
    var dataCalls: [GetData] = []
    /// What each L5, Ping and Stop said was shown.
    var acknowledged: [[NoticeID]] = []
    var logoCalls = 0
    var bundleCalls = 0
    /// What arrived and was opened, in order.
    var received: [MessageType] = []
    var seenAttempts: [AttemptID] = []
    /// Sessions whose link was tapped on the phone.
    var tapped: Set<SessionID> = []
    /// Gives the code of a tapped link to scanned ones, too.
    var tapsEverything = false
    /// How long each ping wanted to wait, in seconds.
    var holds: [UInt8] = []
    /// Phones that wait for news.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var bundleSequence: Instant
    /// Called while a message is being answered, before it has any effect.
    var onMessage: (@Sendable (MessageType) -> Void)?

    /// What goes wrong.
    struct Mishaps: Sendable {
        var isDown = false
        /// HTTP status instead of an answer.
        var httpStatus: Int?
        /// HTTP status instead of a bundle.
        var bundleStatus: Int?
        /// How many answers get lost after they had their effect, by message.
        var lostAnswers: [MessageType: Int] = [:]
        /// What arrives in the place of answers that had their effect, by message, one after the other; made of the true one.
        var spoiledAnswers: [MessageType: [@Sendable ([UInt8]) -> TransportResponse]] = [:]
        /// How many requests arrive twice, by message: the answer that gets through is that to the second copy.
        var doubled: [MessageType: Int] = [:]
        /// How many messages of a type are answered yet; those after them are answered when the phones that wait are woken. No limit where none is given.
        var answered: [MessageType: Int] = [:]
        /// Statuses to answer with, one after the other, instead of doing anything.
        var statuses: [MessageType: [Status]] = [:]
        var isSecondFactorDown = false
        /// Changes the bytes of answers to a message.
        var tamper: (@Sendable (MessageType, [UInt8]) -> [UInt8])?
        var tamperBundle: (@Sendable ([UInt8]) -> [UInt8])?
        var tamperLogo: (@Sendable ([UInt8]) -> [UInt8])?
        /// Evaluate with another key than the pinned one.
        var usesWrongEvaluationKey = false
        /// Seconds that the server's clock is ahead; below zero, behind.
        var clockAhead: Int64 = 0
        /// By how much the clocks are ahead of those nodes that hear messages of a type, one after the other; the last is asked whatever comes then.
        var nodes: [MessageType: [Int64]] = [:]
    }

    struct Settings: Sendable {
        var pingTime: UInt32 = 300
        var pinTimeout = 0
        var penalties: [UInt32] = [0, 0, 30, 300, 0]
        var secondFactorNeed = SecondFactorNeed.needed
        /// Whether new accounts get a second factor.
        var enrolsWithSecondFactor = true
        var selectedAccount: AccountID?
        var skipsConfirmation = false
        var notices: [DeviceNotice] = []
        var announceInfo: [Announcement] = []
        /// The image whose hash every login shows.
        var logo: [UInt8]?
        /// Whether it is the server's own, and not the login's.
        var isOwnLogo = false
        var methods: Methods = [.pin, .bio, .cached]
        /// What it says of the browsers that ask.
        var binding = Binding.qrDynamic
        /// Biometrics in a row before the PIN is asked; nil for no limit.
        var mostWithoutPIN: Int?
        /// Answers an AppLogin as if it were a login by code.
        var saysLoginForApp = false
        /// What it says of the way in of an AppLogin.
        var bindingForApp = Binding.app
        /// Answers an AppLogin as if it were another account's.
        var namesAnotherAccountForApp = false
        /// Where the browsers of login pages go back to; nil when logins are no pages'.
        var returnURL: String?
        /// The one-time codes that it takes; nil for none.
        var offlineCodes: OfflineCodeLength?
        /// What a tapped link is answered with.
        var returnCode: [UInt8]? = [UInt8](repeating: 1, count: 16)
    }

    init(clock: TestClock, seed: UInt8 = 0x11) throws {
        self.clock = clock
        let now = Instant(clock.wall)
        keys = try TestServerKeys(seed: seed, at: now)
        secondFactor = try TestServerKeys(seed: seed &+ 0x40, at: now)
        bundleSequence = now
    }

    /// Another server with the same keys and accounts, on a clock of its own.
    func copy() async throws -> TestServer {
        let copy = try TestServer(clock: TestClock(copying: clock))
        let (accounts, instances, shares) = (accounts, instances, shares)
        await copy.with { copy in (copy.accounts, copy.instances, copy.shares) = (accounts, instances, shares) }
        return copy
    }

    var now: Instant { Instant(UInt64(clamping: Int64(clock.wall) + mishaps.clockAhead)) }

    /// Changes or reads anything, from a test.
    @discardableResult
    func with<Value: Sendable>(_ body: @Sendable (isolated TestServer) throws -> Value) rethrows -> Value { try body(self) }

    // MARK: what a browser or a backend does

    func makeEnrolLink() throws -> [UInt8] {
        let id = EnrolmentID(using: random)
        let secret = random.bytes(16)
        enrolments[id] = Enrolment(secret: secret)
        return EnrolLink(rootHash: keys.rootHash, enrolID: id, enrolSecret: secret, url: Self.url).encoded
    }

    func makeUpgradeLink(of account: AccountID) throws -> [UInt8] {
        let id = EnrolmentID(using: random)
        let secret = random.bytes(16)
        // The newest alone.
        for each in enrolments.keys where enrolments[each]?.upgrades == account { enrolments[each]?.isUsed = true }
        enrolments[id] = Enrolment(secret: secret, upgrades: account)
        return UpgradeLink(EnrolLink(rootHash: keys.rootHash, enrolID: id, enrolSecret: secret, url: Self.url), of: account).encoded
    }

    /// Three wrong codes, or ten minutes.
    func giveUpUpgrades() {
        for id in accounts.keys { accounts[id]?.upgrading = nil }
        wakeAll()
    }

    /// - Parameter frame: seconds since a moving code began; its picture is of this moment.
    func makeLoginLink(binding: Binding = .qrStatic, frame: UInt16 = 0) throws -> [UInt8] {
        let id = SessionID(using: random)
        sessions[id] = LoginSession(isApp: false)
        return LoginLink(
            serverTag: keys.root.root.tag, sessionID: id, issuedAt: UInt32(clamping: now.seconds) - UInt32(frame), frame: frame, binding: binding,
            qrSecret: [1, 2, 3]
        ).encoded
    }

    /// The site asks something else, wherever a phone has not begun to answer.
    func ask(_ announcements: [Announcement]) {
        settings.announceInfo = announcements
        for id in sessions.keys where sessions[id]?.claimedBy == nil { sessions[id]?.asked += 1 }
    }

    /// The code was typed into the browser.
    func confirmAccounts() {
        for id in accounts.keys {
            accounts[id]?.state = .active
            guard let instance = accounts[id]?.upgrading else { continue }
            accounts[id]?.instance = instance
            accounts[id]?.isHeadless = false
            accounts[id]?.upgrading = nil
        }
        wakeAll()
    }

    func stopSessions(_ reason: StopReason = .server) {
        for id in sessions.keys where sessions[id]?.outcome != nil && sessions[id]?.stop == nil { sessions[id]?.stop = reason }
        wakeAll()
    }

    /// The browsers of all login pages came back.
    func bringBack() {
        for id in sessions.keys where sessions[id]?.isReturning == true {
            sessions[id]?.isReturning = false
            sessions[id]?.hasReturned = true
        }
        wakeAll()
    }

    func markDeleted(_ id: AccountID, signedBy key: OperatorKey? = nil) {
        accounts[id] = nil
        tombstones[id] = Encoded(Tombstone(accountID: id, time: now), signedBy: key ?? keys.operatorKey).bytes
        wakeAll()
    }

    func wakeAll() {
        let phones = waiting
        waiting = []
        for phone in phones { phone.resume() }
    }

    static let url = "https://login.example"
}
