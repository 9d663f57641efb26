import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// Attack 15 and the tamper rule: a changed byte is refused and changes nothing.
@Suite("Tampering and malformed calls")
struct TamperTests {
    private func rows(_ stage: StoredStage, _ phone: RawPhone, _ question: RawPhone.Question) async throws -> Situation {
        try await stage.store.situation(of: phone.instance, attempt: question.id)
    }

    /// A stage whose rows can be looked at.
    private struct StoredStage: Sendable {
        let stage: ServerFixture
        let store: SQLSecondFactorStore

        /// Sends a changed call; it must not be obeyed.
        func refuses(_ call: [UInt8], _ what: String) async throws {
            let (status, body) = try await stage.post(call)
            switch status {
            case .badRequest, .forbidden: #expect(body.isEmpty, "\(what)")
            case .ok:
                let answer = try Encoded<SecondFactorAnswer>(decoding: body)
                try answer.verify(with: try await stage.identity().keys, at: stage.now)
                #expect(answer.value.status != .ok, "\(what) was obeyed")
                #expect(answer.value.sealed.isEmpty && answer.value.receipt == nil)
            default: Issue.record("\(what): status \(status.code)")
            }
        }
    }

    private func run(_ body: @escaping @Sendable (StoredStage) async throws -> Void) async throws {
        let database = try await openOfEngine()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            try await body(StoredStage(stage: stage, store: SQLSecondFactorStore(database: database)))
        }
        try await database.close()
    }

    private func flipped(_ bytes: [UInt8], _ position: Int) -> [UInt8] {
        var changed = bytes
        changed[position] ^= 1 << UInt8(position % 8)
        return changed
    }

    @Test("Every byte of a call with a Ticket, changed: refused, and no row changes")
    func ticket() async throws {
        try await run { stored in
            let phone = try RawPhone("tampered ticket")
            try await stored.stage.enrol(phone)
            let question = try phone.question()
            let asked = try phone.ask(question, try await stored.stage.identity(), at: stored.stage.now)
            let call = stored.stage.server.ticketCall(asked, sequence: 1, at: stored.stage.now)
            let before = try await rows(stored, phone, question)
            for position in call.indices { try await stored.refuses(flipped(call, position), "byte \(position)") }
            #expect(try await rows(stored, phone, question) == before)
            #expect(stored.stage.setting.evaluator.guesses(of: phone.instance) == 0)
            #expect(try await stored.stage.answer(call).status == .ok)
        }
    }

    @Test("Every field of a Ticket and its Attempt, changed by a server that signs it again: refused, and no row changes")
    func resignedTicket() async throws {
        try await run { stored in
            let stage = stored.stage
            let phone = try RawPhone("resigned")
            try await stage.enrol(phone)
            let question = try phone.question(.enrol, payload: phone.payload(joining: try RawPhone("x").publicKey))
            let asked = try phone.ask(question, try await stage.identity(), at: stage.now)
            let before = try await rows(stored, phone, question)
            let attempt = asked.attempt.bytes
            for position in attempt.indices {
                guard let changed = try? Encoded<Attempt>(decoding: flipped(attempt, position)) else { continue }
                let forged = RawPhone.Asked(question: question, attempt: changed, sealed: asked.sealed)
                try await stored.refuses(stage.server.ticketCall(forged, sequence: 1, at: stage.now), "attempt byte \(position)")
            }
            for position in question.payload.indices {
                var other = question
                other.payload = flipped(question.payload, position)
                let forged = RawPhone.Asked(question: other, attempt: asked.attempt, sealed: asked.sealed)
                try await stored.refuses(stage.server.ticketCall(forged, sequence: 1, at: stage.now), "payload byte \(position)")
            }
            #expect(try await rows(stored, phone, question) == before)
        }
    }

    @Test("Hashes that do not fit the sealed part or the payload are refused though device and server signed them")
    func consistentlySigned() async throws {
        try await run { stored in
            let stage = stored.stage
            let phone = try RawPhone("consistent")
            try await stage.enrol(phone)
            let question = try phone.question(.enrol, payload: phone.payload(joining: try RawPhone("y").publicKey))
            let identity = try await stage.identity()
            let asked = try phone.ask(question, identity, at: stage.now)
            let before = try await rows(stored, phone, question)
            let genuine = asked.attempt.value
            let wrong = [UInt8](repeating: 7, count: 32)
            func changed(
                session: [UInt8]? = nil, blinded: [UInt8]? = nil, sealed: [UInt8]? = nil, ephemeral: [UInt8]? = nil, epoch: UInt32 = 1
            ) throws -> Encoded<Attempt> {
                try phone.sign(
                    Attempt(
                        instanceID: genuine.instanceID, attemptID: genuine.attemptID, sessionHash: session ?? genuine.sessionHash,
                        context: genuine.context, epoch: epoch, blindedHash: blinded ?? genuine.blindedHash,
                        sealedHash: sealed ?? genuine.sealedHash, ephemeralHash: ephemeral ?? genuine.ephemeralHash, madeAt: genuine.madeAt))
            }
            let forgeries = try [
                changed(session: wrong), changed(blinded: wrong), changed(sealed: wrong), changed(ephemeral: wrong), changed(epoch: 2),
            ]
            for (number, attempt) in forgeries.enumerated() {
                let forged = RawPhone.Asked(question: question, attempt: attempt, sealed: asked.sealed)
                try await stored.refuses(stage.server.ticketCall(forged, sequence: 1, at: stage.now), "forgery \(number)")
            }
            // The sealed part of another question, and one sealed for another server.
            let other = try phone.ask(phone.question(), identity, at: stage.now)
            let swapped = RawPhone.Asked(question: question, attempt: asked.attempt, sealed: other.sealed)
            try await stored.refuses(stage.server.ticketCall(swapped, sequence: 1, at: stage.now), "another sealed part")
            let elsewhere = try SealedRequest(
                question.blinded, to: identity.prekey, of: stage.server.root.root, ephemeral: EphemeralKey(using: phone.random), at: stage.now)
            let misdirected = RawPhone.Asked(question: question, attempt: try changed(sealed: SHA(elsewhere.bytes)), sealed: elsewhere)
            try await stored.refuses(stage.server.ticketCall(misdirected, sequence: 1, at: stage.now), "another server's tag")
            #expect(try await rows(stored, phone, question) == before)
            #expect(try await stage.answer(stage.server.ticketCall(asked, sequence: 1, at: stage.now)).status == .ok)
        }
    }

    @Test("A payload where none belongs, or of another length or without a key, is refused")
    func payloads() async throws {
        try await run { stored in
            let stage = stored.stage
            let phone = try RawPhone("payloads")
            try await stage.enrol(phone)
            var verify = try phone.question()
            verify.payload = [1]
            let short = try phone.question(.enrol, payload: [UInt8](repeating: 4, count: 96))
            let noKey = try phone.question(.enrol, payload: [UInt8](repeating: 4, count: 97))
            for question in [verify, short, noKey] {
                #expect(try await stage.ask(phone, question, sequence: 1).answer.status == .refused)
            }
            #expect(try await stage.guess(phone, sequence: 1).tries.failed == 1)
        }
    }

    @Test("Every byte of a call with a Proof, changed: refused, and no row changes")
    func proof() async throws {
        try await run { stored in
            let stage = stored.stage
            let phone = try RawPhone("tampered proof")
            try await stage.enrol(phone)
            let question = try phone.question()
            #expect(try await stage.ask(phone, question, sequence: 1).answer.status == .ok)
            let signature = phone.proof(of: question)
            let call = stage.server.call(stage.server.proof(of: question, phone.instance, signature: signature).bytes)
            let before = try await rows(stored, phone, question)
            for position in call.indices { try await stored.refuses(flipped(call, position), "byte \(position)") }
            for position in signature.indices {
                let forged = stage.server.proof(of: question, phone.instance, signature: flipped(signature, position))
                try await stored.refuses(stage.server.call(forged.bytes), "sfSig byte \(position)")
            }
            let none = stage.server.proof(of: question, phone.instance, signature: nil)
            try await stored.refuses(stage.server.call(none.bytes), "no signature")
            let cached = stage.server.proof(of: question, phone.instance, signature: signature, method: .cached)
            try await stored.refuses(stage.server.call(cached.bytes), "another method")
            let newKey = stage.server.proof(
                of: question, phone.instance, signature: signature, newKey: phone.secondFactorPublicKey)
            try await stored.refuses(stage.server.call(newKey.bytes), "a new key without a new PIN")
            #expect(try await rows(stored, phone, question) == before)
            #expect(try await stage.answer(call).status == .ok)
        }
    }

    @Test("Every byte of a Close and a Reset, changed: refused, and no row changes")
    func administration() async throws {
        try await run { stored in
            let stage = stored.stage
            let phone = try RawPhone("tampered administration")
            try await stage.enrol(phone)
            let question = try phone.question()
            let before = try await rows(stored, phone, question)
            for message in [stage.server.close(phone.instance, at: stage.now).bytes, stage.server.reset(phone.instance, at: stage.now).bytes] {
                for position in message.indices {
                    try await stored.refuses(stage.server.call(flipped(message, position)), "byte \(position) of \(message[1])")
                }
            }
            #expect(try await rows(stored, phone, question) == before)
        }
    }

    @Test("What is no element of the group is refused before anything is counted", arguments: Self.badElements)
    func badElement(_ blinded: [UInt8]) async throws {
        try await run { stored in
            let phone = try RawPhone("bad element")
            try await stored.stage.enrol(phone)
            let question = try phone.question(blinded: blinded)
            let before = try await rows(stored, phone, question)
            #expect(try await stored.stage.ask(phone, question, sequence: 1).answer.status == .refused)
            #expect(try await rows(stored, phone, question) == before)
        }
    }

    /// The identity, numbers that are no canonical encoding, a negative one, and other lengths.
    static let badElements: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], [],
        [UInt8](repeating: 2, count: 31), [UInt8](repeating: 2, count: 33),
    ]

    @Test("Random bytes, every prefix and an extra byte: 4xx, or a refusal that is signed; never a fault")
    func garbage() async throws {
        try await run { stored in
            let stage = stored.stage
            let phone = try RawPhone("garbage")
            let receipt = try await stage.enrol(phone)
            let question = try phone.question()
            let asked = try phone.ask(question, try await stage.identity(), at: stage.now)
            let call = stage.server.ticketCall(asked, sequence: 1, receipt: receipt, at: stage.now)
            let before = try await rows(stored, phone, question)
            for count in call.indices { try await stored.refuses(Array(call.prefix(count)), "prefix of \(count)") }
            try await stored.refuses(call + [0], "an extra byte")
            let random = SeededRandom("garbage bytes")
            for _ in 0..<300 {
                try await stored.refuses(random.bytes(random.below(1_500)), "random bytes")
                try await stored.refuses(stage.server.call(random.bytes(random.below(500)), sealed: random.bytes(150)), "a random message")
                var spliced = call
                let start = random.below(call.count - 8)
                spliced.replaceSubrange(start..<start + 8, with: random.bytes(8))
                if spliced.suffix(receipt.bytes.count + 2) == call.suffix(receipt.bytes.count + 2) {
                    try await stored.refuses(spliced, "a splice at \(start)")
                }
            }
            #expect(try await rows(stored, phone, question) == before)
        }
    }
}
