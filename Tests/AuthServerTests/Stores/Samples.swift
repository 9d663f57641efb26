import Authentication
import OstiaryProtocol
import OstiaryTesting

/// Values with every field set, for stores to keep.
enum Sample {
    static let now = Instant(1_800_000_000)
    static let server = ServerID([UInt8](repeating: 1, count: 16))!

    static func bytes(_ byte: UInt8, _ count: Int = 32) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    static func accountID(_ byte: UInt8) -> AccountID { AccountID(bytes(byte, 16))! }
    static func notice(_ byte: UInt8, _ subject: DeviceNotice.Subject = .enrolled) -> DeviceNotice {
        DeviceNotice(subject, id: NoticeID(bytes(byte, 16))!, device: "Pixel \(byte)", time: now)
    }

    static func sessionID(_ byte: UInt8) -> SessionID { SessionID(bytes(byte, 16))! }
    static let instanceID = InstanceID(bytes(0xA0, 16))!

    static let login = Login(
        account: accountID(1), binding: .qrDynamic, at: now, methods: .pin, verifiedAt: now - 5, decision: bytes(7), userInput: "Grüße\nzwei",
        failedTries: 3, tokenKey: TokenKey(thumbprint: bytes(0x4B)), deadline: now + 315, lastPing: now + 1, lastStamp: now + 2)

    /// Of three codes: no two sessions have the same.
    static let tickets = [0xC0, 0xC1, 0xC2].map { ReturnTicket(codeHash: bytes($0), until: now + 120) }
    static let page = SessionPage(cookieHash: bytes(0xC1), returnURL: "https://shop.example/welcome?a=b")

    static let request = LoginRequest(
        client: RelyingParty(name: "Shop", origin: "https://shop.example", clientID: "shop-1"),
        shown: ShownContext(
            info: [Announcement(key: "for", text: "Timesheets\nNovember")], logo: ShownLogo(hash: bytes(5)), ip: "Gent", userAgent: "Firefox"),
        notes: SessionNotes(info: [Announcement(key: "cart", text: "42")], ip: "::1", userAgent: "Mozilla"), account: accountID(1),
        demand: .fresh(60))

    static func session(
        _ byte: UInt8 = 3, state: SessionState = .open, startedAt: Instant = now, page: SessionPage? = nil, purpose: SessionPurpose = .login
    ) -> Session {
        var session = Session(
            id: sessionID(byte), server: server, nonceHash: bytes(byte), stream: StreamID(bytes(4, 16))!, purpose: purpose, request: request,
            startedAt: startedAt, page: page, codesTried: byte, state: state)
        session.report = PhoneReport(state: .penalised, until: now + 30)
        return session
    }

    static var states: [SessionState] {
        var enrolled = login
        enrolled.lastPing = now
        var returned = login
        returned.returned = tickets[1]
        var left = login
        left.returned = tickets[2]
        let fromEnrolment = Login(
            account: accountID(1), binding: nil, at: now, methods: [], verifiedAt: now, decision: [], deadline: now, lastPing: now,
            lastStamp: Instant(0))
        let byCode = Login(
            account: accountID(1), binding: nil, isOffline: true, at: now, methods: [], verifiedAt: now, decision: bytes(9), deadline: now + 400,
            lastPing: now, lastStamp: Instant(0))
        return [
            .open, .claimed(.init(account: accountID(1), binding: .qrStatic)), .loggedIn(login), .loggedIn(fromEnrolment), .loggedIn(byCode),
            .denied(.init(account: accountID(1), notMe: true, decision: bytes(8))), .denied(.init(account: accountID(1), notMe: false, decision: [])),
            .expired, .stopped(enrolled, .inactivity, at: now + 9), .returning(login, tickets[0]), .loggedIn(returned),
            .stopped(left, .server, at: now + 9), .stopped(login, .otherBrowser, at: now + 9),
        ]
    }

    static func account(_ byte: UInt8, instance: InstanceID? = instanceID, otp: UInt32? = nil, server: ServerID = server) -> Account {
        Account(
            id: accountID(byte), server: server, userID: "alice", displayName: "Alice", device: "Pixel", app: "Test 1.0", deviceKey: bytes(byte, 65),
            instance: instance, createdAt: now + UInt64(byte), otpReference: otp ?? UInt32(byte), otpKey: StoredSecret(bytes(byte)), state: .active,
            isBlocked: true,
            activatedAt: now, lastLogin: now + 3, hasActivationCache: true)
    }

    static let claim = Enrolment.Claim(
        deviceKey: bytes(1, 65), device: "Pixel", app: "Test 1.0", account: accountID(1), serverShare: StoredSecret(bytes(2)), enrolHash: bytes(3),
        ephemeral: bytes(4))

    static func enrolment(_ byte: UInt8 = 6, state: Enrolment.State = .open, purpose: EnrolmentPurpose = .full) -> Enrolment {
        Enrolment(
            id: EnrolmentID(bytes(byte, 16))!, server: server, secretHash: bytes(7), nonceHash: bytes(8), stream: StreamID(bytes(9, 16))!,
            userID: "alice", displayName: "Alice", purpose: purpose, page: bytes(10), expiresAt: now + 600, wrongCodes: 1, state: state)
    }

    static var enrolmentStates: [Enrolment.State] {
        let finish = Enrolment.Finish(decision: bytes(1), verifiedAt: now)
        return [
            .open, .claimed(claim), .confirming(claim, finish), .active(claim, finish, .init(at: now, session: sessionID(3))),
            .confirming(claim, .init(decision: bytes(2), verifiedAt: nil)),
            .active(claim, .init(decision: bytes(2), verifiedAt: nil), .init(at: now, session: nil)),
            .failed(.expired, nil), .failed(.wrongCodes, claim), .failed(.loggedOut, claim),
        ]
    }

    static let instance = Instance(
        id: instanceID, server: server,
        sequence: AttemptSequence(
            last: 4, open: .init(attempt: AttemptID(bytes(1, 16))!, blindedHash: bytes(2), since: now),
            relayed: .init(attempt: AttemptID(bytes(2, 16))!, number: 4)), receipt: receipt,
        epochs: [
            .init(number: 1, serverShare: StoredSecret(bytes(3)), secondFactorKey: bytes(4)),
            .init(number: 2, serverShare: StoredSecret(bytes(5)), secondFactorKey: bytes(6)),
        ], biometricKey: bytes(7, 65), evaluated: TriedAttempt(id: AttemptID(bytes(2, 16))!, epoch: 2, madeAt: now - 3), pinChange: pinChange,
        lastChange: FinishedChange(decision: bytes(8), answer: bytes(9, 15)))

    static let pinChange = PINChange(
        attempt: AttemptID(bytes(3, 16))!, account: accountID(1), methods: [.pin, .bio], verifiedAt: now - 2, epoch: 2,
        serverShare: StoredSecret(bytes(10)),
        setting: TriedAttempt(id: AttemptID(bytes(4, 16))!, epoch: 3, madeAt: now - 1))

    static let receipt = Encoded(
        Receipt(
            serverID: server, instanceID: instanceID, attemptID: AttemptID(bytes(1, 16))!, sessionHash: bytes(1), context: .verify, method: .pin,
            epoch: 1,
            sequence: 4, secondFactorKey: bytes(4), signaturesHash: bytes(5), withoutPIN: 0, lastPIN: now, issuedAt: now))
}
