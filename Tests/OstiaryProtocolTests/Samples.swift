import Crypto
import OstiaryProtocol
import Testing

/// Repeatable randomness for tests (xorshift64*).
final class FixedRandom: RandomSource, @unchecked Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed | 1 }

    func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }

    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) } }
    func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }
}

/// One server with keys made from a seed, at a fixed time.
struct SampleServer {
    static let now = Instant(1_800_000_000)

    let random: FixedRandom
    let rootKey: RootKey
    let operatorKey: OperatorKey
    let certificate: OperatorCertificate
    let prekeySecret: PrekeySecret
    let prekey: Encoded<Prekey>

    var root: Root { rootKey.root }
    var chain: ServerChain { ServerChain(root: root, certificates: [certificate]) }

    init(seed: UInt64) throws {
        random = FixedRandom(seed)
        rootKey = try RootKey(seed: random.bytes(32), serverID: ServerID(using: random))
        operatorKey = try OperatorKey(seed: random.bytes(32))
        certificate = rootKey.certify(operatorKey, from: Self.now - 60, until: Self.now + 90 * 86_400)
        prekeySecret = try PrekeySecret(id: 7, secret: random.bytes(32))
        prekey = prekeySecret.published(until: Self.now + 86_400, signedBy: operatorKey)
    }

    func keys() throws -> OperatorKeys { try OperatorKeys.verify(chain, rootHash: root.hash) }
}

/// A device key whose private half the test holds.
struct SampleDevice {
    let key = P256.Signing.PrivateKey()
    var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes).rawRepresentation) }
}

/// One of every structure that travels, all fields filled where that is allowed.
struct Samples {
    let server: SampleServer
    let secondFactor: SampleServer
    let device = SampleDevice()
    private let random: FixedRandom

    init(seed: UInt64 = 99) throws {
        random = FixedRandom(seed)
        server = try SampleServer(seed: 1)
        secondFactor = try SampleServer(seed: 2)
    }

    func bytes(_ count: Int) -> [UInt8] { random.bytes(count) }
    var account: AccountID { AccountID(using: random) }
    var session: SessionID { SessionID(using: random) }
    var instance: InstanceID { InstanceID(using: random) }
    var attemptID: AttemptID { AttemptID(using: random) }
    let tries = Tries(failed: 2, most: 5, wait: 30, withoutPINLeft: 9)

    func attempt(_ context: SecondFactorContext = .verify) throws -> Encoded<Attempt> {
        try Encoded(
            Attempt(
                instanceID: instance, attemptID: attemptID, sessionHash: bytes(32), context: context, epoch: 1, blindedHash: bytes(32),
                sealedHash: bytes(32), ephemeralHash: bytes(32), madeAt: SampleServer.now), signedBy: device.sign)
    }

    func bundle() -> Encoded<Bundle> {
        let identity = Encoded(SecondFactorIdentity(chain: secondFactor.chain, prekeys: [secondFactor.prekey]))
        return Encoded(
            Bundle(
                chain: server.chain, name: "Hallway", url: "https://door.example", sequence: SampleServer.now, prekeys: [server.prekey],
                secondFactor: identity), signedBy: server.operatorKey)
    }

    /// Of values of its own, so that what is drawn for the others stays.
    func upgradeLink() throws -> UpgradeLink {
        let (enrolID, account) = (EnrolmentID([UInt8](repeating: 0x21, count: 16)), AccountID([UInt8](repeating: 0x23, count: 16)))
        let link = EnrolLink(
            rootHash: server.root.hash, enrolID: try #require(enrolID), enrolSecret: [UInt8](repeating: 0x22, count: 16), url: "https://door.example")
        return UpgradeLink(link, of: try #require(account))
    }

    func loginLink() -> Encoded<LoginLink> {
        Encoded(
            LoginLink(
                serverTag: server.root.tag, sessionID: session, issuedAt: 1_800_000_000, frame: 3, binding: .qrDynamic, qrSecret: bytes(32)))
    }

    func pushedLink() -> Encoded<LoginLink> {
        Encoded(
            LoginLink(
                serverTag: server.root.tag, sessionID: session, issuedAt: 1_800_000_000, frame: 0, binding: .push, qrSecret: bytes(32)))
    }

    func receipt() -> Encoded<Receipt> {
        Encoded(
            Receipt(
                serverID: server.root.serverID, instanceID: instance, attemptID: attemptID, sessionHash: bytes(32), context: .verify,
                method: [.pin, .bio], epoch: 1, sequence: 4, secondFactorKey: bytes(32), signaturesHash: bytes(32), withoutPIN: 0,
                lastPIN: SampleServer.now - 60,
                issuedAt: SampleServer.now), signedBy: secondFactor.operatorKey)
    }

    func ticket() throws -> Encoded<Ticket> {
        Encoded(
            Ticket(serverID: server.root.serverID, sequence: 5, issuedAt: SampleServer.now, payload: bytes(9), attempt: try attempt()),
            signedBy: server.operatorKey)
    }

    func proof() -> Encoded<Proof> {
        Encoded(
            Proof(
                serverID: server.root.serverID, instanceID: instance, attemptID: attemptID, context: .firstSet, method: .pin, epoch: 1,
                sessionHash: bytes(32), secondFactorKey: bytes(32), secondFactorSignature: bytes(64)), signedBy: server.operatorKey)
    }

    /// Proof by a biometric on its own, with its ticket.
    func biometricProof() throws -> Encoded<Proof> {
        Encoded(
            Proof(
                serverID: server.root.serverID, instanceID: instance, attemptID: attemptID, context: .verify, method: .bio, epoch: 1,
                sessionHash: bytes(32), secondFactorKey: nil, ticket: try ticket(), secondFactorSignature: nil, biometricSignature: bytes(64)),
            signedBy: server.operatorKey)
    }

    func m3() throws -> Encoded<M3> {
        try Encoded(
            M3(
                accountID: account, instanceID: instance, attemptID: attemptID, context: .pinChangeSet, method: [.pin, .bio], epoch: 2,
                payload: attemptID.bytes, secondFactorKey: bytes(32), attempt: try attempt(), secondFactorSignature: bytes(64),
                biometricSignature: bytes(64)), freshness: bytes(40), signedBy: device.sign)
    }

    func e2() -> E2 {
        E2(
            accountID: account, displayName: "Ada’s account", serverAccounts: ["Phone one", "Phone two"], secondFactor: .needed,
            pinPolicy: .standard, serverShare: bytes(32), secondFactorPrekey: secondFactor.prekey)
    }

    func e3() throws -> Encoded<E3> {
        try Encoded(
            E3(
                enrolHash: bytes(32), decision: .accept, instanceID: instance, attemptID: attemptID, context: .firstSet, epoch: 1,
                secondFactorKey: bytes(32), secondFactorSignature: bytes(64)), signedBy: device.sign)
    }

    func offer(session: SessionID, ephemeral: [UInt8], shownHash: [UInt8], key: [UInt8]) -> Encoded<Offer> {
        Encoded(
            Offer(
                madeAt: SampleServer.now, binding: .qrDynamic, secondFactor: .needed, methods: [.pin, .bio], asked: 0x0102_0304,
                requestHash: bytes(32), shownHash: shownHash, for: Offer.Place(session: session, ephemeral: ephemeral), sealedBy: key))
    }

    func offer() -> Encoded<Offer> { offer(session: session, ephemeral: bytes(32), shownHash: bytes(32), key: bytes(32)) }

    func l2() -> L2 { offeredL2().value }

    func offeredL2() -> Encoded<L2> {
        Encoded(shownL2()) { hash in offer(session: session, ephemeral: bytes(32), shownHash: hash, key: bytes(32)) }
    }

    func shownL2(
        _ purpose: SessionPurpose = .login, announcing texts: [Announcement] = [Announcement(key: "room", text: "Blue\nroom")]
    ) -> L2 {
        L2(
            sessionID: session, purpose: purpose, account: account,
            relyingParty: RelyingParty(name: "Hallway", origin: "https://door.example", clientID: ""),
            announceInfo: texts, logoHash: bytes(32),
            browser: BrowserFacts(binding: .qrStatic, label: "Firefox", city: "Ghent", startedAt: SampleServer.now), secondFactor: .cacheAllowed,
            methods: [.pin, .cached], serverNonce: bytes(32), secondFactorPrekey: secondFactor.prekey, expiresAt: SampleServer.now + 300)
    }

    func l5() throws -> Encoded<L5> {
        try Encoded(
            L5(
                sessionID: session, sessionHash: bytes(32), accountID: account, attemptID: attemptID, decision: .accept, method: [.pin, .bio],
                secondFactorSignature: bytes(64), biometricSignature: bytes(64), cache: bytes(32), userInput: "floor 3", offer: offer()),
            signedBy: device.sign)
    }

    func biometricL5() throws -> Encoded<L5> {
        try Encoded(
            L5(
                sessionID: session, sessionHash: bytes(32), accountID: account, attemptID: attemptID, decision: .accept, method: .bio,
                biometricSignature: bytes(64), attempt: try attempt(), offer: offer()), signedBy: device.sign)
    }

    /// With all that an L5 can bring beside its decision.
    func appL5() throws -> Encoded<L5> {
        try Encoded(
            L5(
                sessionID: session, sessionHash: bytes(32), accountID: account, attemptID: attemptID, decision: .accept, method: .cached,
                cache: bytes(32),
                extensions: Extensions(shownNotices: [NoticeID(using: random)], tokenKey: TokenKey(thumbprint: bytes(32))), offer: offer()),
            signedBy: device.sign)
    }

    func box() throws -> PINBox {
        try PINBox(decoding: [1, 0, 0, 0x80, 0, 3] + bytes(32 + PINBox.sealedCount) + OPRFKey.generate().publicKey)
    }

    func l7(_ state: PhoneState, until: Instant = Instant(0)) throws -> Encoded<L7> {
        try Encoded(L7(sessionID: session, accountID: account, state: state, until: until, offer: offer()), signedBy: device.sign)
    }

    /// Every structure as a type-erased case: its name, its bytes, and how to decode and encode it again.
    func all() throws -> [WireCase] {
        let shown = Extensions(shownNotices: [NoticeID(using: random)])
        let notices = Extensions(
            notices: DeviceNotice.Subject.allCases.map { subject in
                DeviceNotice(subject, id: NoticeID(using: random), device: "Tablet", time: SampleServer.now)
            })
        return [
            WireCase("Root", server.root), WireCase("OpCert", server.certificate), WireCase("Prekey", server.prekey.value),
            WireCase("ServerChain", server.chain),
            WireCase("SfIdentity", SecondFactorIdentity(chain: secondFactor.chain, prekeys: [secondFactor.prekey])),
            WireCase("Box", try box()), WireCase("Bundle", bundle().value),
            WireCase(
                "EnrolLink",
                EnrolLink(
                    rootHash: server.root.hash, enrolID: EnrolmentID(using: random), enrolSecret: bytes(16), url: "https://door.example")),
            WireCase("UpgradeLink", try upgradeLink()), WireCase("LoginLink", loginLink().value),
            WireCase("RequestHeader", RequestHeader(serverTag: server.root.tag, prekeyID: 7)),
            WireCase(
                "E1",
                E1(
                    enrolID: EnrolmentID(using: random), enrolSecret: bytes(16), deviceKey: device.publicKey, appInfo: "Door 1.0",
                    osInfo: "Ada’s phone", pushToken: bytes(40))),
            WireCase("E2", e2()), WireCase("E3", try e3().value),
            WireCase("E4", E4(state: .pending, otpReference: 77, otpKey: bytes(32))),
            WireCase("W1", try Encoded(W1(accountID: account, hold: 25), signedBy: device.sign).value),
            WireCase("L1", L1(link: loginLink(), via: .scan, clientInfo: "Door 1.0")),
            WireCase(
                "L1 of an AppLogin",
                try Encoded(L1(appLoginOf: account, clientInfo: "Door 1.0"), freshness: bytes(40), signedBy: device.sign).value),
            WireCase("Offer", offer().value), WireCase("L2", l2()), WireCase("L5", try l5().value),
            WireCase("L5 by a biometric", try biometricL5().value), WireCase("L5 of an AppLogin", try Samples(seed: 100).appL5().value),
            WireCase(
                "L6",
                L6(
                    result: .loggedIn, sessionID: session, pingTime: 300, userName: "ada", webNonce: Base64URL.encode(bytes(32)),
                    cache: bytes(32), extensions: notices)),
            WireCase("L7", try l7(.gaveUp).value), WireCase("L7 of a penalty", try l7(.penalised, until: SampleServer.now + 30).value),
            WireCase("Attempt", try attempt().value),
            WireCase(
                "M1", M1(accountID: account, attempt: try attempt(), payload: [], sealed: bytes(132), about: (session: session, offer: offer()))),
            WireCase("M1 without a session", M1(accountID: account, attempt: try attempt(.pinChangeSet), payload: bytes(16), sealed: bytes(132))),
            WireCase("M2", M2(epoch: 1, tries: tries, serverShare: bytes(32), sealed: bytes(200))),
            WireCase("M3", try m3().value), WireCase("M4", M4(epoch: 2, withoutPINLeft: 29, extensions: notices)),
            WireCase("SfEval", SecondFactorEvaluation(attemptID: attemptID, evaluation: bytes(96), evaluationKey: bytes(32), tries: tries)),
            WireCase("Ticket", try ticket().value), WireCase("Proof", proof().value),
            WireCase("Proof by a biometric", try biometricProof().value), WireCase("Receipt", receipt().value),
            WireCase(
                "SfAnswer",
                Encoded(
                    SecondFactorAnswer(attemptID: attemptID, status: .ok, highest: 5, epoch: 1, tries: tries, sealed: bytes(20), receipt: receipt()),
                    signedBy: secondFactor.operatorKey
                ).value),
            WireCase(
                "Close",
                Encoded(Close(serverID: server.root.serverID, instanceID: instance, time: SampleServer.now), signedBy: server.operatorKey).value),
            WireCase(
                "Reset",
                Encoded(Reset(serverID: server.root.serverID, instanceID: instance, time: SampleServer.now), signedBy: server.operatorKey).value),
            WireCase(
                "Probe",
                Encoded(Probe(serverID: server.root.serverID, nonce: bytes(16), time: SampleServer.now), signedBy: server.operatorKey).value),
            WireCase(
                "Leave",
                Encoded(
                    Leave(serverID: server.root.serverID, instanceID: instance, deviceKey: device.publicKey, time: SampleServer.now),
                    signedBy: server.operatorKey
                ).value),
            WireCase(
                "SecondFactorCall",
                SecondFactorCall(
                    caller: Encoded(server.chain), message: try ticket().bytes, sealed: bytes(132), receipt: receipt(), pinReceipt: receipt())),
            WireCase("Ping", try Encoded(Ping(sessionID: session, hold: 25, extensions: shown), freshness: bytes(40), signedBy: device.sign).value),
            WireCase("Stop", try Encoded(Stop(sessionID: session, reason: .user), freshness: bytes(40), signedBy: device.sign).value),
            WireCase("PingAnswer", PingAnswer(state: .stopped, reason: .server, pingTime: 300, extensions: notices)),
            WireCase("Fetch", try Encoded(Fetch(accountID: account), freshness: bytes(40), signedBy: device.sign).value),
            WireCase(
                "Waiting",
                Waiting(logins: (1...2).map { WaitingLogin(link: pushedLink(), expiresAt: SampleServer.now + 60 * UInt64($0)) })),
            WireCase("Delete", try Encoded(Delete(accountID: account, time: SampleServer.now), signedBy: device.sign).value),
            WireCase("Tombstone", Encoded(Tombstone(accountID: account, time: SampleServer.now), signedBy: server.operatorKey).value),
            WireCase(
                "Verification",
                try Encoded(
                    Verification(accountID: account, uri: "https://door.example/device?user_code=BCDF-GHJK"), freshness: bytes(40),
                    signedBy: device.sign
                ).value),
            WireCase(
                "GetToken",
                try Encoded(GetToken(sessionID: session, callID: CallID(using: random)), freshness: bytes(40), signedBy: device.sign).value),
            WireCase("ServiceToken", try #require(ServiceToken(token: bytes(48)))),
            WireCase(
                "GetData",
                try Encoded(
                    try #require(GetData(accountID: account, callID: CallID(using: random), payload: bytes(48))), freshness: bytes(40),
                    signedBy: device.sign
                ).value),
            WireCase("ServiceData", try #require(ServiceData(data: bytes(48)))),
        ]
    }
}

/// A structure of any type, as bytes that can be decoded and encoded again.
struct WireCase: CustomTestStringConvertible, Sendable {
    let name: String
    let value: any WireStruct
    let bytes: [UInt8]
    let recode: @Sendable ([UInt8]) throws(WireError) -> [UInt8]

    init<Value: WireStruct>(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
        bytes = value.encoded
        recode = { bytes throws(WireError) in try Value(decoding: bytes).encoded }
    }

    var testDescription: String { name }
    /// The structure's name in docs/protocol: "L1" for "L1 of an AppLogin".
    var structure: String { String(name.prefix { $0 != " " }) }
}
