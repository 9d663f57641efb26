import Crypto
import Foundation
import OstiaryProtocol
import Testing

@Suite("Vectors/transcript: an enrolment and a login, every secret given")
struct TranscriptTests {
    static let file = "transcript/enrolment-and-login.json"

    let vector: TranscriptVector
    private let account: AccountID
    private let instance: InstanceID
    private let server: TranscriptServer
    private let secondFactor: TranscriptServer

    init() throws {
        let vector = try VectorFiles.read(TranscriptVector.self, Self.file)
        self.vector = vector
        account = try #require(AccountID(try vector.secret("accountId")))
        instance = try #require(InstanceID(try vector.secret("sfId")))
        server = try TranscriptServer("as", vector.secret)
        secondFactor = try TranscriptServer("sfs", vector.secret)
    }

    private func derived(_ name: String) throws -> [UInt8] { VectorFiles.bytes(try #require(vector.derived[name])) }
    private func message(_ name: String) throws -> [UInt8] { VectorFiles.bytes(try vector.step(name).message) }
    private func body(_ name: String) throws -> [UInt8] { VectorFiles.bytes(try vector.step(name).body) }
    private func requestHash(_ name: String) throws -> [UInt8] { SHA(VectorFiles.bytes(try vector.step(name).request)) }
    private func ephemeral(_ name: String) -> String { ["E1", "M1 of the first PIN", "E3"].contains(name) ? "enrolEphemeral" : "loginEphemeral" }

    private func check(_ step: TranscriptVector.Step, _ sealed: TranscriptVector.Inside, prekey: String, chain: String) throws {
        let reader = OtherReader(
            prekeySecret: try vector.secret(prekey), ephemeralSecret: try vector.secret(ephemeral(step.name)),
            request: VectorFiles.bytes(sealed.request))
        let header = try RequestHeader(of: reader.request)
        let opened = try OpenedRequest(reader.request, with: try PrekeySecret(id: header.prekeyID, secret: reader.prekeySecret))
        #expect(VectorFiles.hex(opened.message) == sealed.message && opened.sentAt.seconds == step.time)
        let phone = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: reader.ephemeralSecret)
        #expect(opened.ephemeral == Array(phone.publicKey.rawRepresentation))
        let content = try reader.open(VectorFiles.bytes(sealed.answer))
        #expect(content.status == 0 && content.time == step.time && VectorFiles.hex(content.body) == sealed.body)
        let certificate = try #require(try ServerChain(decoding: derived(chain)).certificates.first { $0.id == content.keyID })
        try EdwardsPublicKey(certificate.ed25519).verify(content.signature, .ans, content.signed)
    }

    @Test("The seeds give the keys: both chains, both prekeys, and the public keys of phone and PIN")
    func keys() throws {
        #expect(try server.chain.encoded == derived("as.chain") && secondFactor.chain.encoded == derived("sfs.chain"))
        #expect(try server.root.hash == derived("as.rootHash") && secondFactor.root.hash == derived("sfs.rootHash"))
        #expect(try E2(decoding: body("E1")).secondFactorPrekey?.bytes == secondFactor.prekey.bytes)
        #expect(try L2(decoding: body("L1")).secondFactorPrekey?.bytes == secondFactor.prekey.bytes)
        let device = try P256.Signing.PrivateKey(rawRepresentation: vector.secret("device"))
        #expect(try E1(decoding: message("E1")).deviceKey == Array(device.publicKey.x963Representation))
        let master = try Curve25519.Signing.PrivateKey(rawRepresentation: vector.secret("SFM"))
        #expect(try derived("pkSf") == Array(master.publicKey.rawRepresentation))
        #expect(try OPRFKey(SecretBytes(vector.secret("k"))).publicKey == derived("pkK"))
    }

    @Test("Every request opens with the prekey's secret, every answer with the phone's, inside M1 and M2 as well")
    func sealed() throws {
        #expect(vector.steps.map(\.name) == ["E1", "M1 of the first PIN", "E3", "L1", "M1 of the login", "L5"])
        for step in vector.steps {
            try check(
                step, .init(message: step.message, request: step.request, answer: step.answer, body: step.body), prekey: "as.prekey",
                chain: "as.chain")
            guard let inside = step.inside else { continue }
            try check(step, inside, prekey: "sfs.prekey", chain: "sfs.chain")
            let m1 = try M1(decoding: VectorFiles.bytes(step.message))
            #expect(m1.sealed == VectorFiles.bytes(inside.request) && m1.attempt.value.sealedHash == SHA(m1.sealed))
            #expect(m1.attempt.value.blindedHash == SHA(VectorFiles.bytes(inside.message)))
            #expect(try M2(decoding: VectorFiles.bytes(step.body)).sealed == VectorFiles.bytes(inside.answer))
        }
    }

    @Test("The nonce gives the session and its code; L2 is offered, and M1 and L5 bring the offer back")
    func session() throws {
        let sidKey = try vector.secret("sidKey")
        let session = try #require(SessionID(derived("sid")))
        #expect(try derived("nonceHash") == Transcript.nonce(vector.nonce))
        #expect(try Array(MAC(key: sidKey, .sid, derived("nonceHash") + [0, 0, 0, 0]).prefix(16)) == session.bytes)
        let link = try Encoded<LoginLink>(decoding: derived("loginLink"))
        #expect(link.value.sessionID == session && link.isGenuine(qrSecret: MAC(key: sidKey, .qr, session.bytes)))
        let l1 = try L1(decoding: message("L1"))
        #expect(try l1.link?.bytes == derived("loginLink"))
        let l2 = try Encoded<L2>(decoding: body("L1"))
        let opened = try OpenedRequest(
            VectorFiles.bytes(vector.step("L1").request), with: PrekeySecret(id: TranscriptServer.prekeyID, secret: vector.secret("as.prekey")))
        let place = Offer.Place(session: session, ephemeral: opened.ephemeral)
        #expect(l2.value.offer.isGenuine(for: place, key: sidKey) && l2.value.offer.value.shownHash == l2.shownHash)
        #expect(try M1(decoding: message("M1 of the login")).offer?.bytes == l2.value.offer.bytes)
        #expect(try L5(decoding: message("L5")).offer?.bytes == l2.value.offer.bytes)
    }

    @Test("What was shown is what is signed: the hashes of enrolment and login come out of the messages, and the device key signed them")
    func hashes() throws {
        let enrolHash = Transcript.enrolment(requestHash: try requestHash("E1"), shown: try body("E1"))
        #expect(try derived("enrolHash") == enrolHash)
        #expect(ConfirmationCode(enrolHash: enrolHash).description == vector.confirmationCode)
        let e3 = try Encoded<E3>(decoding: message("E3"))
        #expect(e3.value.enrolHash == enrolHash)
        let e1 = try E1(decoding: message("E1"))
        let link = try EnrolLink(decoding: derived("enrolLink"))
        #expect(try e1.enrolID == link.enrolID && e1.enrolSecret == link.enrolSecret && link.rootHash == derived("as.rootHash"))
        let device = try DevicePublicKey(e1.deviceKey)
        try e3.verify(by: device)
        let l2 = try Encoded<L2>(decoding: body("L1"))
        let sessHash = Transcript.session(requestHash: try requestHash("L1"), shownHash: l2.shownHash, account: account)
        #expect(try derived("sessHash") == sessHash)
        let l5 = try Encoded<L5>(decoding: message("L5"))
        #expect(l5.value.sessionHash == sessHash && l5.value.accountID == account)
        try l5.verify(by: device)
        for name in ["M1 of the first PIN", "M1 of the login"] { try M1(decoding: message(name)).attempt.verify(by: device) }
        #expect(try l2.value.sessionID == L6(decoding: body("L5")).sessionID)
        #expect(try E2(decoding: body("E1")).accountID == account && E4(decoding: body("E3")).state == .pending)
    }

    @Test("The PIN makes the box, opens it again at the login, and what is inside signed both times")
    func box() throws {
        let first = try TranscriptBox.scenario(pin: vector.pin, vector.secret, of: "enrol")
        #expect(try first.stretched().bytes.withUnsafeBytes { Array($0) } == derived("st"))
        let box = try PINBox(decoding: derived("box"))
        #expect(try first.seal(SecretBytes(vector.secret("SFM"))) == box)
        for (name, flow) in [("M1 of the first PIN", "enrol"), ("M1 of the login", "login")] {
            let scenario = try TranscriptBox.scenario(pin: vector.pin, vector.secret, of: flow)
            let run = try scenario.run(pinnedKey: box.pinnedKey)
            let inside = try #require(try vector.step(name).inside)
            #expect(run.blinded == VectorFiles.bytes(inside.message))
            #expect(try SecondFactorEvaluation(decoding: VectorFiles.bytes(inside.body)).evaluation == run.evaluation)
            #expect(try run.y.exposed == derived("y"))
            #expect(try scenario.open(box).exposed == vector.secret("SFM"))
        }
        try signedByTheBox(box)
    }

    private func signedByTheBox(_ box: PINBox) throws {
        let pkSf = try EdwardsPublicKey(derived("pkSf"))
        let e3 = try E3(decoding: message("E3"))
        let first = try M1(decoding: message("M1 of the first PIN")).attempt.value
        try pkSf.verify(
            try #require(e3.secondFactorSignature), .secondFactorSet,
            Transcript.secondFactorSet(
                instance: instance, attempt: first.attemptID, context: .firstSet, sessionHash: first.sessionHash, evaluationKey: box.pinnedKey,
                secondFactorKey: pkSf.bytes))
        let l5 = try L5(decoding: message("L5"))
        try pkSf.verify(
            try #require(l5.secondFactorSignature), .secondFactorProof,
            Transcript.secondFactorProof(instance: instance, attempt: l5.attemptID, context: .verify, sessionHash: l5.sessionHash))
    }
}
