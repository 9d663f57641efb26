import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

extension FuzzedPhone {
    /// One of each message that a phone can send, in each of the contexts that it has. Sent in this order, as they stand, all are accepted.
    func messages() async throws -> [Ready] {
        // The tries that are evaluated here are proved before others are asked for; those, by a biometric after each two. So none is refused for its number.
        let proofs = [try await silentDecision(), try await decisionByPIN(), try await evaluated(.biometricsAdd, phone.fingerKey)]
        var ready = try await looks()
        ready += try await enrolments()
        ready += proofs
        ready += try await attempts()
        ready += try await biometrics()
        ready += try tries()
        ready += try await changes()
        ready += try await settings()
        ready += try await presence()
        return ready
    }

    private func attempt(_ name: String, _ attempt: TestAttempt, by phone: TestPhone? = nil) throws -> Ready {
        let signer = phone ?? self.phone.phone
        return Ready(
            name: name, message: try signer.m1(attempt).message.bytes, ephemeral: attempt.ephemeral, signature: .attempt, signer: signer)
    }

    private func signed(_ name: String, _ message: [UInt8], _ ephemeral: EphemeralKey, _ label: Label, by phone: TestPhone? = nil) -> Ready {
        Ready(name: name, message: message, ephemeral: ephemeral, signature: .end(label, isFresh: false), signer: phone ?? self.phone.phone)
    }

    private func fresh<Message: WireMessage & DeviceSigned>(_ name: String, _ message: Message, by phone: TestPhone? = nil) throws -> Ready {
        let (signer, ephemeral) = (phone ?? self.phone.phone, try TestPhone.ephemeral())
        return Ready(
            name: name, message: try signer.raw.fresh(message, ephemeral, at: servers.now).bytes, ephemeral: ephemeral,
            signature: .end(Message.label, isFresh: true), signer: signer)
    }

    /// L1 of a link, of an AppLogin and of a login that waits, the Fetch that told of it, and the Verification of what a device shows.
    private func looks() async throws -> [Ready] {
        let link = L1(link: try await servers.link(try servers.nonce()), via: .scan, clientInfo: "Example 1.0 on Pixel 9").encoded
        try await servers.push(to: phone.account)
        let waiting = try #require(try await phone.fetch().last).link
        let pushed = L1(link: waiting, via: .push, clientInfo: "Example 1.0 on Pixel 9").encoded
        let begun = try await ShowingDevice(at: servers).begin()
        return [
            try fresh("Verification", Verification(accountID: phone.account, uri: begun.uri)),
            Ready(name: "L1", message: link, ephemeral: try TestPhone.ephemeral(), signature: .none, signer: phone.phone),
            Ready(name: "L1 of what waits", message: pushed, ephemeral: try TestPhone.ephemeral(), signature: .none, signer: phone.phone),
            try fresh("L1 of an app", phone.phone.raw.openingApp(of: phone.account)), try fresh("Fetch", Fetch(accountID: phone.account)),
        ]
    }

    /// E1, E3 with a first PIN and without, and the try that sets one.
    private func enrolments() async throws -> [Ready] {
        let link = { try await servers.invite(try servers.nonce(), userID: "eve") }
        let enrolling = try await TestPhone(servers).scan(try await link())
        let attempt = try enrolling.attempt()
        let evaluation = try #require(try await enrolling.phone.evaluate(attempt).evaluation)
        let declining = try await TestPhone(servers).scan(try await link())
        let beginning = try await TestPhone(servers).scan(try await link())
        let claim = phone.phone.raw.claim(try await link()).encoded
        return [
            Ready(name: "E1", message: claim, ephemeral: try TestPhone.ephemeral(), signature: .none, signer: phone.phone),
            signed("E3", try enrolling.acceptance(attempt, evaluation).bytes, enrolling.ephemeral, .devEnrol, by: enrolling.phone),
            signed("E3 that declines", try declining.refusal().bytes, declining.ephemeral, .devEnrol, by: declining.phone),
            try self.attempt("M1 of a first PIN", try beginning.attempt(), by: beginning.phone),
        ]
    }

    /// L5 by a PIN whose try was evaluated.
    private func decisionByPIN() async throws -> Ready {
        let shown = try await phone.scan(try await servers.link(try servers.nonce()))
        let attempt = try await shown.proved()
        let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
        return signed("L5", decision.bytes, shown.ephemeral, .devLogin)
    }

    /// L5 of an AppLogin, with the cache of a new account.
    private func silentDecision() async throws -> Ready {
        let welcome = try L6(decoding: try await phone.enrolling.wait().body)
        let cache = try #require(welcome.cache)
        let app = try await phone.openApp()
        let decision = try app.decision(method: .cached, cache: cache)
        return signed("L5 of an app", decision.bytes, app.ephemeral, .devLogin)
    }

    /// M3 of an operation whose try was evaluated.
    private func evaluated(_ context: SecondFactorContext, _ payload: [UInt8]) async throws -> Ready {
        let ephemeral = try TestPhone.ephemeral()
        let question = try phone.phone.raw.question(context, payload: payload)
        let evaluated = try await phone.phone.evaluate(TestAttempt(question, account: phone.account, ephemeral: ephemeral))
        try #require(evaluated.status == .ok)
        return try change("M3 of \(context)", phone.phone.raw.proving(question, ephemeral))
    }

    private func change(_ name: String, _ change: RawPhone.Change, of other: EnrolledPhone? = nil) throws -> Ready {
        let owner = other ?? phone
        let message = try owner.phone.raw.changing(change, of: owner.account, at: servers.now)
        return Ready(
            name: name, message: message.bytes, ephemeral: change.ephemeral, signature: .end(.devProof, isFresh: true), signer: owner.phone)
    }

    /// M1 of a login, and of a biometric that comes.
    private func attempts() async throws -> [Ready] {
        let shown = try await phone.scan(try await servers.link(try servers.nonce()))
        return [
            try attempt("M1 of a login", try shown.attempt()), try attempt("M1 of biometricsAdd", try question(.biometricsAdd, phone.fingerKey)),
        ]
    }

    /// L5 by a biometric: of a code, and of a login that waited, whose number is typed.
    private func biometrics() async throws -> [Ready] {
        let shown = try await phone.scan(try await servers.link(try servers.nonce()))
        let byFinger = try phone.phone.raw.acceptingByBiometric(shown.shown, by: phone.account, at: servers.now)
        let begun = try await servers.push(to: phone.account)
        let told = try #require(try await phone.fetch().first { $0.link.value.sessionID == begun.session })
        let waiting = try await phone.scan(told.link, via: .push)
        let own = phone.phone.raw.ownAttempt(.verify, waiting.sessionHash, waiting.ephemeral, at: servers.now)
        var choice = RawPhone.Choice(
            method: .bio, attempt: own.id,
            biometricSignature: try phone.phone.raw.biometricSignature(own.id, .verify, waiting.sessionHash, madeAt: own.madeAt),
            ownAttempt: try phone.phone.raw.sign(own))
        choice.number = begun.number
        let typed = try phone.phone.raw.deciding(waiting.shown, by: phone.account, choice)
        return [
            signed("L5 by a biometric", byFinger.bytes, shown.ephemeral, .devLogin),
            signed("L5 with a number", typed.bytes, waiting.ephemeral, .devLogin),
        ]
    }

    private func question(_ context: SecondFactorContext, _ payload: [UInt8]) throws -> TestAttempt {
        let question = try phone.phone.raw.question(context, payload: payload)
        return TestAttempt(question, account: phone.account, ephemeral: try TestPhone.ephemeral())
    }

    /// M1 of a biometric that goes and of a change of the PIN.
    private func tries() throws -> [Ready] {
        [
            try attempt("M1 of biometricsRemove", try question(.biometricsRemove, phone.fingerKey)),
            try attempt("M1 of pinChangeVerify", try question(.pinChangeVerify, [])),
        ]
    }

    /// M3 by a biometric alone, and between the two M1 for one more account of the app.
    private func changes() async throws -> [Ready] {
        let newcomer = try await TestPhone(servers, sharing: phone.phone)
        let enrolling = try await newcomer.scan(try await servers.invite(try servers.nonce(), userID: "eve"))
        let further = TestAttempt(
            try phone.phone.raw.question(.enrol, payload: enrolling.payload), account: phone.account, ephemeral: enrolling.ephemeral)
        let byFinger = { (context: SecondFactorContext, payload: [UInt8]) in
            try phone.phone.raw.provingByBiometric(context, payload, epoch: 1, try TestPhone.ephemeral(), at: servers.now)
        }
        return [
            try change("M3 of pinChangeVerify", try byFinger(.pinChangeVerify, [])), try attempt("M1 of one more account", further),
            try change("M3 of biometricsRemove", try byFinger(.biometricsRemove, phone.fingerKey)),
        ]
    }

    /// M1 and M3 of a new PIN that was vouched for. The try is one that was evaluated before, asked once more: it costs nothing.
    private func settings() async throws -> [Ready] {
        let (raw, ephemeral) = (changing.phone.raw, try TestPhone.ephemeral())
        let voucher = try await changing.proveByPIN(.pinChangeVerify).attempt
        let question = try raw.question(.pinChangeSet, payload: voucher.bytes, epoch: 2)
        let evaluated = try await changing.phone.evaluate(TestAttempt(question, account: changing.account, ephemeral: ephemeral))
        let key = try #require(evaluated.evaluation).evaluationKey
        let again = TestAttempt(question, account: changing.account, ephemeral: try TestPhone.ephemeral())
        return [
            try attempt("M1 of pinChangeSet", again, by: changing.phone),
            try change(
                "M3 of pinChangeSet", try raw.settingPIN(evaluated.asked, evaluationKey: key, ephemeral, byBiometric: false), of: changing),
        ]
    }

    /// W1, L7, Ping, GetToken, GetData, Stop and Delete.
    private func presence() async throws -> [Ready] {
        let shown = try await phone.scan(try await servers.link(try servers.nonce()))
        let state = try phone.phone.raw.sign(
            L7(
                sessionID: shown.screen.sessionID, accountID: phone.account, state: .penalised, until: servers.now + 30,
                offer: shown.screen.offer))
        let session = try #require(try await leaving.logInApp().sessionID)
        let data = try #require(GetData(accountID: leaving.account, callID: CallID(using: SystemRandomSource()), payload: [1, 2, 3]))
        let deletion = try leaving.phone.raw.sign(Delete(accountID: leaving.account, time: servers.now))
        return [
            try fresh("W1", W1(accountID: phone.account, hold: 0)), signed("L7", state.bytes, shown.ephemeral, .devState),
            try fresh("Ping", Ping(sessionID: session, hold: 0), by: leaving.phone),
            try fresh("GetToken", GetToken(sessionID: session, callID: CallID(using: SystemRandomSource())), by: leaving.phone),
            try fresh("GetData", data, by: leaving.phone),
            try fresh("Stop", Stop(sessionID: session, reason: .user), by: leaving.phone),
            signed("Delete", deletion.bytes, try TestPhone.ephemeral(), .devDelete, by: leaving.phone),
        ]
    }
}
