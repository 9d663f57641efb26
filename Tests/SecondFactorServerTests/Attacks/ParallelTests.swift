import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import SecondFactor
@testable import SecondFactorServer

/// Attack 2: tries in parallel.
@Suite("Parallel PIN tries", .timeLimit(.minutes(attackMinutes)))
struct ParallelTests {
    @Test(
        "64 tickets at once with different guesses: never more evaluations than tries, and the right PIN works once the penalty is over",
        .onBothEngines)
    func burst() async throws { try await burst(rounds: attackRounds(6), losing: .none) }

    @Test("The same while each commit is lost once, kept or gone", .onBothEngines, arguments: LosingDatabase.Loss.allCases)
    func lostBurst(_ loss: LosingDatabase.Loss) async throws { try await burst(rounds: 1, losing: .each(loss)) }

    private func burst(rounds: Int, losing plan: LosingDatabase.Plan) async throws {
        let folder = try TemporaryFolder()
        let isFile = DatabaseEngine.current == .sqlite
        let base = isFile ? try openFile(folder.file("sf.sqlite")) : try await SchemaTemplate.secondFactor.ofEngine()
        let database = LosingDatabase(base, plan)
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            for round in 0..<rounds {
                let phone = try RawPhone("parallel \(round)")
                try await stage.enrol(phone)
                let identity = try await stage.identity()
                // Two guesses in a row are free of a penalty; 62 more wait for the third number and those after it.
                let calls = try (0..<64).map { number in
                    let asked = try phone.ask(phone.question(), identity, at: stage.now)
                    return stage.server.ticketCall(asked, sequence: UInt64(number % 8) + 1, at: stage.now)
                }
                try await withThrowingTaskGroup { group in
                    for call in calls { group.addTask { _ = try await stage.answer(call) } }
                    try await group.waitForAll()
                }
                #expect(stage.setting.evaluator.guesses(of: phone.instance) <= 5)
                try await comesBack(phone, stage)
            }
        }
        try await database.close()
    }

    /// Waits until the penalty is over and logs in, unless the burst has used all five tries.
    private func comesBack(_ phone: RawPhone, _ stage: ServerFixture) async throws {
        let standing = try await stage.ask(phone, phone.question(), sequence: 1).answer
        #expect(standing.status == .sequence)
        guard standing.tries.failed < 5 else { return }
        stage.clock.advance(UInt64(standing.tries.wait))
        try await stage.succeed(phone, sequence: standing.highest + 1)
    }

    @Test("A store that reads first and writes later is caught by the same attack")
    func mutant() async throws {
        let setting = try ServerFixture.Setting()
        let database = try openInMemory()
        try await database.migrate(secondFactorMigrations)
        let keys = IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: nil,
            random: SeededRandom("keys"))
        let own = try await keys.renewed(at: setting.clock.now)
        let identity = try PublishedIdentity(own.published, hash: own.root.hash, at: setting.clock.now)
        let phone = try RawPhone("mutant")
        let owner = VirtualServer(id: setting.server.serverID, rootHash: setting.server.rootHash)
        let key = try setting.evaluator.makeKey(for: phone.instance, epoch: 1)
        let state = Instance.State.open(.init(secondFactorKey: phone.secondFactorPublicKey, evaluationKey: key.wrapped))
        let instance = Instance(
            id: phone.instance, owner: owner, deviceKeys: [phone.publicKey], epoch: 1, state: state,
            counter: Counter(at: setting.clock.now), withoutPIN: 0, lastPIN: setting.clock.now)
        let service = SecondFactorService(
            trustedRoots: setting.trusted, store: ReadThenWriteStore(instance), policy: .standard, evaluator: setting.evaluator)
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                let asked = try phone.ask(phone.question(), identity, at: setting.clock.now)
                let call = setting.server.ticketCall(asked, sequence: 1, at: setting.clock.now)
                group.addTask { _ = try await service.answer(call, with: own, at: setting.clock.now) }
            }
            try await group.waitForAll()
        }
        #expect(setting.evaluator.guesses(of: phone.instance) > 5)
    }
}

/// A store as it must not be: between reading and writing, others read.
private actor ReadThenWriteStore: SecondFactorStore {
    private var state = MemoryState()
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ instance: Instance) { state.instances[instance.id] = instance }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SecondFactorRows) throws -> Value) async throws -> Value {
        try body(MemoryRows(state))
    }

    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let rows = MemoryRows(state)
        let value = try body(rows, nil)
        await meetOthers()
        state = rows.state
        return value
    }

    /// Waits until eight callers have read.
    private func meetOthers() async {
        guard waiting.count < 7 else {
            for other in waiting { other.resume() }
            waiting = []
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }
}
