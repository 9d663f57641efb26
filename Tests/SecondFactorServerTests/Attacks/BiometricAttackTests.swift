import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// What a thief can do with captured or forged biometric proofs.
@Suite("Attacks on biometrics")
struct BiometricAttackTests {
    private func run(_ body: @escaping @Sendable (ServerFixture, RawPhone, SQLSecondFactorStore) async throws -> Void) async throws {
        let database = try await openOfEngine()
        let store = SQLSecondFactorStore(database: database)
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("bio attacked")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            _ = try await stage.guess(phone, sequence: 2)
            try await body(stage, phone, store)
        }
        try await database.close()
    }

    @Test("64 proofs at once with one attempt: one success, one receipt for all", .onBothEngines)
    func atOnce() async throws {
        try await run { stage, phone, store in
            let call = try stage.biometricCall(phone, sequence: 2)
            let receipts = try await withThrowingTaskGroup { group in
                for _ in 0..<64 { group.addTask { try await stage.answer(call).receipt?.bytes } }
                return try await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
            }
            #expect(receipts.count == 1 && receipts.first != .some(nil))
            let rows = try await store.situation(of: phone.instance, attempt: AttemptID(using: SeededRandom("none")))
            #expect(rows.instance?.withoutPIN == 1)
        }
    }

    @Test("A valid signature changed into the other valid one, (r, n-s), is no second success", .onBothEngines)
    func malleability() async throws {
        try await run { stage, phone, store in
            let question = try phone.question()
            let attempt = try phone.biometricAttempt(question, at: stage.now)
            let signature = try phone.biometricSignature(of: attempt.value)
            let twin = Array(signature.prefix(32)) + minusModuloOrder(Array(signature.suffix(32)))
            #expect(twin != signature)
            func call(_ signature: [UInt8]) -> [UInt8] {
                stage.server.call(
                    stage.server.biometricProof(attempt, signature: signature, sequence: 2, at: stage.now).bytes)
            }
            let first = try await stage.answer(call(twin))
            // The twin is valid by itself: what stops the second is the row of the attempt.
            #expect(first.status == .ok && first.receipt?.value.signaturesHash == SHA(twin))
            #expect(try await stage.answer(call(signature)).receipt?.bytes == first.receipt?.bytes)
            let rows = try await store.situation(of: phone.instance, attempt: question.id)
            #expect(rows.instance?.withoutPIN == 1)
        }
    }

    /// n - s for the order n of P-256.
    private func minusModuloOrder(_ scalar: [UInt8]) -> [UInt8] {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84,
            0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var borrow = 0
        var result: [UInt8] = []
        for (left, right) in zip(order.reversed(), scalar.reversed()) {
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            result.insert(UInt8(difference + (difference < 0 ? 256 : 0)), at: 0)
        }
        return result
    }

    @Test("Every byte of a call with a biometric, changed: refused, and no row changes")
    func tampered() async throws {
        try await run { stage, phone, store in
            let question = try phone.question()
            let call = try stage.biometricCall(phone, question, sequence: 2)
            let before = try await store.situation(of: phone.instance, attempt: question.id)
            for position in call.indices {
                var changed = call
                changed[position] ^= 1 << UInt8(position % 8)
                let (status, body) = try await stage.post(changed)
                guard status == .ok else { continue }
                #expect(try SecondFactorAnswer(decoding: body).status != .ok, "byte \(position) was obeyed")
            }
            #expect(try await store.situation(of: phone.instance, attempt: question.id) == before)
            #expect(try await stage.answer(call).status == .ok)
        }
    }

    @Test("Every field of attempt and signature, changed by a server that signs it again: refused, and no row changes")
    func resigned() async throws {
        try await run { stage, phone, store in
            let question = try phone.question()
            let attempt = try phone.biometricAttempt(question, at: stage.now)
            let signature = try phone.biometricSignature(of: attempt.value)
            let before = try await store.situation(of: phone.instance, attempt: question.id)
            func refuses(_ attempt: Encoded<Attempt>, _ signature: [UInt8]?, payload: [UInt8] = [], _ what: String) async throws {
                let proof = stage.server.biometricProof(attempt, payload: payload, signature: signature, sequence: 2, at: stage.now)
                #expect(try await stage.answer(stage.server.call(proof.bytes)).status != .ok, "\(what)")
            }
            for position in attempt.bytes.indices {
                var changed = attempt.bytes
                changed[position] ^= 1 << UInt8(position % 8)
                guard let forged = try? Encoded<Attempt>(decoding: changed) else { continue }
                try await refuses(forged, signature, "attempt byte \(position)")
            }
            for position in signature.indices {
                var changed = signature
                changed[position] ^= 1 << UInt8(position % 8)
                try await refuses(attempt, changed, "bioSig byte \(position)")
            }
            try await refuses(attempt, nil, "no signature")
            try await refuses(attempt, signature, payload: [1], "a payload")
            try await refuses(attempt, try phone.biometricSignature(of: attempt.value, by: phone.deviceKey), "the device key's signature")
            #expect(try await store.situation(of: phone.instance, attempt: question.id) == before)
        }
    }

    @Test("A ticket of a PIN carries no biometric, a biometric's ticket is not evaluated, and an old one is too old")
    func crossed() async throws {
        try await run { stage, phone, _ in
            let question = try phone.question()
            let asked = try phone.ask(question, try await stage.identity(), at: stage.now)
            let signature = try phone.biometricSignature(of: asked.attempt.value)
            let crossed = stage.server.biometricProof(asked.attempt, signature: signature, sequence: 2, at: stage.now)
            #expect(try await stage.answer(stage.server.call(crossed.bytes)).status == .refused)
            let empty = try phone.biometricAttempt(question, at: stage.now)
            let ticket = stage.server.ticket(RawPhone.Asked(question: question, attempt: empty, sealed: asked.sealed), sequence: 3, at: stage.now)
            #expect(try await stage.answer(stage.server.call(ticket.bytes, sealed: asked.sealed.bytes)).status == .refused)
            let call = try stage.biometricCall(phone, sequence: 2)
            stage.clock.advance(121)
            #expect(try await stage.answer(call).status == .clock)
        }
    }

    @Test("Another virtual server proves nothing with a captured biometric, and neither does another device")
    func strangers() async throws {
        var setting = try ServerFixture.Setting()
        let other = try AuthenticationServerDouble("other")
        setting.trusted.append(other.rootHash)
        let database = try await openOfEngine()
        try await ServerFixture.run(on: database, setting) { stage in
            let phone = try RawPhone("bio stranger")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let attempt = try phone.biometricAttempt(phone.question(), at: stage.now)
            let signature = try phone.biometricSignature(of: attempt.value)
            let stolen = other.biometricProof(attempt, signature: signature, sequence: 1, at: stage.now)
            #expect(try await stage.answer(other.call(stolen.bytes)).status == .refused)
            let genuine = stage.server.biometricProof(attempt, signature: signature, sequence: 1, at: stage.now)
            #expect(try await stage.answer(other.call(genuine.bytes)).status == .refused)
            let device = phone.with(deviceKeyOf: try RawPhone("thief's device"))
            let forged = try device.biometricAttempt(device.question(), at: stage.now)
            let proof = stage.server.biometricProof(
                forged, signature: try phone.biometricSignature(of: forged.value), sequence: 1, at: stage.now)
            #expect(try await stage.answer(stage.server.call(proof.bytes)).status == .refused)
        }
        try await database.close()
    }

    @Test("A restored database catches up with the caller's number and with our receipt; only a PIN's receipt tells of a PIN", .onBothEngines)
    func restored() async throws {
        let database = try await openOfEngine()
        let store = SQLSecondFactorStore(database: database)
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("bio restored")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let answer = try await stage.touch(phone, sequence: 30)
            #expect(answer.status == .ok && answer.highest == 30)
            let receipt = try #require(answer.receipt)
            let none = AttemptID(using: SeededRandom("none"))
            var counter = try #require(try await store.situation(of: phone.instance, attempt: none).instance?.counter)
            #expect(counter.highest == 30 && counter.proven == 30 && counter.provenByPIN == 1)
            try await database.transaction { connection in
                try connection.execute(
                    "UPDATE instance SET highest = 1, proven = 1 WHERE id = $1", [.blob(phone.instance.bytes)])
            }
            let next = try await stage.guess(phone, sequence: 31, receipt: receipt)
            #expect(next.status == .ok && next.tries.failed == 1)
            counter = try #require(try await store.situation(of: phone.instance, attempt: none).instance?.counter)
            #expect(counter.highest == 31 && counter.proven == 30 && counter.provenByPIN == 1)
        }
        try await database.close()
    }

    @Test("The receipt of a change of the PIN tells nothing of the counter: biometrics in between do not count as the PIN", .onBothEngines)
    func receiptOfAChange() async throws {
        try await run { stage, phone, store in
            let voucher = try await stage.vouch(phone, sequence: 3)
            #expect(try await stage.touch(phone, sequence: 9).status == .ok)
            let receipt = try await stage.setPIN(phone, try await stage.askForNewPIN(phone, voucher: voucher))
            #expect(receipt.value.sequence == 9)
            let question = try phone.question(epoch: 2)
            #expect(try await stage.ask(phone, question, sequence: 10, receipt: receipt).answer.status == .ok)
            let counter = try #require(try await store.situation(of: phone.instance, attempt: question.id).instance?.counter)
            #expect(counter.provenByPIN == 3)
        }
    }
}
