import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import SecondFactor

@Suite("Second-factor store")
struct SecondFactorStoreTests {
    private let messages = CheckedMessages("store")
    private var now: Instant { messages.now }

    /// Asks `count` times at once.
    private func atOnce<Value: Sendable>(_ count: Int, _ ask: @escaping @Sendable (Int) async throws -> Value) async throws -> [Value] {
        try await withThrowingTaskGroup { group in
            for number in 0..<count { group.addTask { try await ask(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Of many tries under one number at once, exactly one is counted", arguments: StoreBackend.allCases)
    func oneNumber(on backend: StoreBackend) async throws {
        try await backend.run { service in
            try await messages.enrol(in: service)
            let outcomes = try await atOnce(64) { try await service.tickets.reserve(messages.ticket("try \($0)", sequence: 1), at: now) }
            #expect(outcomes.count { if case .admitted = $0 { true } else { false } } == 1)
            #expect(outcomes.count { if case .refused(.behind, let standing) = $0 { standing.highest == 1 } else { false } } == 63)
        }
    }

    @Test("Of many tries under rising numbers at once, never more than the tries are counted", arguments: StoreBackend.allCases)
    func manyNumbers(on backend: StoreBackend) async throws {
        try await backend.run(policy: try Policy(penalties: [])) { service in
            try await messages.enrol(in: service)
            let outcomes = try await atOnce(64) {
                try await service.tickets.reserve(messages.ticket("try \($0)", sequence: UInt64($0) + 1), at: now)
            }
            let counted = outcomes.count { if case .admitted = $0 { true } else { false } }
            // Where whoever had to begin again comes later, the first that is taken may be one behind the last try.
            #expect((backend == .postgresql ? 0...5 : 1...5).contains(counted))
            // Those that were refused for want of tries said which numbers are used up: no later one is taken either.
            let rows = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("none"))
            #expect(rows.instance?.counter.proven == 0)
            let later = try await service.tickets.reserve(messages.ticket("later", sequence: 65), at: now)
            #expect({ if case .refused(.blocked, _) = later { true } else { false } }())
        }
    }

    @Test("One attempt, asked for many times at once, is counted once and every caller gets its outcome", arguments: StoreBackend.allCases)
    func oneAttempt(on backend: StoreBackend) async throws {
        try await backend.run { service in
            try await messages.enrol(in: service)
            let outcomes = try await atOnce(32) {
                try await service.tickets.reserve(messages.ticket("same", sequence: UInt64($0 % 4) + 1), at: now)
            }
            let attempts = outcomes.compactMap { if case .admitted(let attempt, _, _) = $0 { attempt } else { nil } }
            #expect(attempts.count == 32)
            #expect(attempts.allSatisfy { $0 == attempts.first })
            let rows = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("same"))
            #expect(rows.instance?.counter.failed == attempts.first?.sequence)
        }
    }

    @Test("One proof, sent many times at once, changes the counter once and gives one receipt to all", arguments: StoreBackend.allCases)
    func oneProof(on backend: StoreBackend) async throws {
        try await backend.run { service in
            try await messages.enrol(in: service)
            _ = try await service.tickets.reserve(messages.ticket("right", sequence: 1), at: now)
            let outcomes = try await atOnce(32) {
                let number = UInt8($0)
                return try await service.proofs.complete(messages.proof("right", sequence: 1), at: now) { _ in [number] }
            }
            let receipts = Set(outcomes.map { outcome -> [UInt8] in if case .proved(let receipt, _) = outcome { receipt } else { [] } })
            #expect(receipts.count == 1 && receipts.first?.count == 1)
        }
    }

    @Test("Of two first PINs for one id, the later key stays and only its proof makes the instance", arguments: StoreBackend.allCases)
    func firstSets(on backend: StoreBackend) async throws {
        try await backend.run { service in
            let outcomes = try await atOnce(16) { try await service.tickets.reserve(messages.firstSet("first \($0)"), at: now) }
            // Whoever looks again may find another in the place of the own.
            #expect(
                outcomes.allSatisfy {
                    switch $0 {
                    case .admitted: true
                    case .refused(let refusal, _): refusal == .superseded && backend.losesCommits
                    }
                })
            let proofs = try await atOnce(16) {
                try await service.proofs.complete(messages.proof("first \($0)", sequence: 0, context: .firstSet), at: now) { _ in [1] }
            }
            #expect(proofs.count { if case .proved = $0 { true } else { false } } == 1)
            let rows = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("none"))
            #expect(rows.instance != nil && rows.pending == nil)
        }
    }

    @Test("Rows come back as they were written", arguments: StoreBackend.allCases)
    func roundTrip(on backend: StoreBackend) async throws {
        try await backend.run { service in
            let none = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("none"))
            #expect(none == .empty)
            let held = try await service.tickets.reserve(messages.firstSet("first"), at: now)
            let pending = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("first"))
            guard case .admitted(let attempt, let key, _) = held else {
                Issue.record("not admitted")
                return
            }
            #expect(pending.attempt == attempt)
            #expect(pending.pending?.evaluationKey == key && pending.pending?.deviceKey == messages.deviceKey)
            _ = try await service.proofs.complete(messages.proof("first", sequence: 0, context: .firstSet), at: now + 3) { _ in [7, 8] }
            let enrolment = messages.ticket("enrol", sequence: 1, purpose: .enrol(deviceKey: [UInt8](repeating: 9, count: 65)))
            _ = try await service.tickets.reserve(enrolment, at: now + 4)
            let rows = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("enrol"))
            #expect(rows.attempt?.purpose == .enrol(deviceKey: [UInt8](repeating: 9, count: 65)))
            #expect(rows.attempt?.reservedAt == now + 4)
            #expect(rows.instance?.owner == messages.owner && rows.instance?.lastPIN == now + 3)
            let done = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("first"))
            let completion = AttemptRecord.Completion(
                method: .pin, at: now + 3, signatureHash: messages.proof("first", sequence: 0, context: .firstSet).checked.signatureHash,
                receipt: [7, 8])
            #expect(done.attempt?.state == .done(completion))
        }
    }

    @Test("Of many resets by message at once, one is granted, and the others find nothing to lift or are older", arguments: StoreBackend.allCases)
    func resets(on backend: StoreBackend) async throws {
        try await backend.run(policy: try Policy(maxAttempts: 2)) { service in
            try await messages.enrol(in: service)
            for sequence in UInt64(1)...2 {
                guard case .admitted = try await service.tickets.reserve(messages.ticket("try \(sequence)", sequence: sequence), at: now) else {
                    Issue.record("not counted")
                    return
                }
            }
            let outcomes = try await atOnce(16) { number in
                let source = ResetSource.message(by: messages.owner, time: now + UInt64(number))
                return try await service.administration.reset(messages.instanceID, source, at: now)
            }
            #expect(outcomes.count { if case .granted = $0 { true } else { false } } == 1)
            #expect(
                outcomes.count {
                    switch $0 {
                    case .notBlocked, .refused(.clock, _): true
                    case .granted, .repeated, .refused: false
                    }
                } == 15)
        }
    }

    @Test("Closing many times at once leaves one closed row and no attempts", arguments: StoreBackend.allCases)
    func closing(on backend: StoreBackend) async throws {
        try await backend.run { service in
            try await messages.enrol(in: service)
            _ = try await service.tickets.reserve(messages.ticket("left", sequence: 1), at: now)
            _ = try await atOnce(8) { _ in try await service.administration.close(messages.instanceID, by: messages.owner, at: now) }
            let rows = try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("left"))
            #expect(rows.instance?.state == .closed && rows.attempt == nil)
        }
    }

    @Test("Attempts and pending keys go when their time has come, not before", arguments: StoreBackend.allCases)
    func expiry(on backend: StoreBackend) async throws {
        try await backend.run { service in
            _ = try await service.tickets.reserve(messages.firstSet("first"), at: now)
            #expect(try await service.deleteExpired(at: now + 599).deleted == 0)
            #expect(try await service.deleteExpired(at: now + 600).deleted == 1)
            #expect(try await service.deleteExpired(at: now + 719).deleted == 0)
            #expect(try await service.deleteExpired(at: now + 720).deleted == 1)
            #expect(try await service.store.situation(of: messages.instanceID, attempt: CheckedMessages.attemptID("first")) == .empty)
        }
    }

    @Test(
        "A22: what a clock wrote that ran ahead is brought back once after each leap, when the clock has stayed there for two minutes",
        arguments: StoreBackend.allCases)
    func bringsBack(on backend: StoreBackend) async throws {
        try await backend.run { service in
            try await messages.enrol(in: service)
            let (id, ahead) = (messages.instanceID, now + 864_000)
            try await service.store.write { rows in
                var instance = try #require(try rows.instance(id))
                let counter = Counter(highest: 4, proven: 0, provenByPIN: 0, penaltyUntil: ahead + 300, lastSeen: ahead)
                instance.counter = try #require(counter)
                try rows.save(instance)
            }
            let look = { @Sendable (moment: Instant) async throws -> (brought: Int, counter: Counter?) in
                let brought = try await service.bringBack(at: moment).rewritten
                let counter = try await service.store.read { rows in try rows.instance(id)?.counter }
                return (brought, counter)
            }
            for moment in [now, now + 60, now + 119] {
                let (brought, counter) = try await look(moment)
                #expect(brought == 0 && counter?.lastSeen == ahead && counter?.penaltyUntil == ahead + 300)
            }
            let (brought, counter) = try await look(now + 120)
            #expect(brought == 1 && counter?.lastSeen == now + 120 && counter?.penaltyUntil == now + 300 && counter?.highest == 4)
            #expect(try await look(now + 3_600).brought == 0)
            // Put back once more, to before what is there now.
            #expect(try await look(now).brought == 0)
            let again = try await look(now + 180)
            #expect(again.brought == 0 && again.counter == counter, "what is not ahead stays as it is")
        }
    }
}
