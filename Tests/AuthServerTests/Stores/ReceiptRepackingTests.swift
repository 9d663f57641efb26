import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("Receipts of before, brought into their short form", .timeLimit(.minutes(5)))
struct ReceiptRepackingTests {
    /// How many there are in the long form, and how many in all.
    private struct Receipts: Equatable {
        let long: Int
        let all: Int
    }

    /// Over a database to which the step comes when there are rows.
    private struct World: Sendable {
        let database: any Database
        let key: KeyEncryptionKey
        let store: SQLAuthenticationStore
        /// That of a node which has not heard of the step.
        let late: SQLAuthenticationStore
        let step: StepWatch

        init(_ database: any Database, key: KeyEncryptionKey = .random()) {
            (self.database, self.key) = (database, key)
            late = SQLAuthenticationStore(database: database, key: key)
            step = StepWatch(AuthenticationSchema.shortReceipts, of: database)
            store = SQLAuthenticationStore(database: database, key: key, views: nil, shortReceipts: step, audited: { _ in })
        }

        func takeStep() async throws {
            try await database.migrate(AuthenticationSchema.migrations, takesWaiting: true)
            try await step.look()
            try #require(step.isTaken)
        }

        /// Over a file that has the rows of this one, moved there as `move-database` does.
        func moved() async throws -> World {
            let target = try SQLiteDatabase.inMemory()
            let (from, to) = (MoveEnd(database, url: "old", name: "the old one"), MoveEnd(target, url: "new", name: "the new one"))
            try #require(try await MovableSchema.of(from, among: [.authServer]) == 0)
            _ = try await DatabaseMove(from: from, to: to, schema: .authServer, batch: 64).run()
            return World(misbehavingDatabase(over: target), key: key)
        }

        func save(_ instances: [Instance]) async throws {
            try await store.write { rows, _ in for instance in instances { try rows.save(instance) } }
        }

        /// The same instances as they are kept now.
        func kept(_ instances: [Instance]) async throws -> [Instance] {
            try await store.read { rows in try instances.map { try #require(try rows.instance($0.id)) } }
        }

        func count() async throws -> Receipts {
            let columns = try await database.read { connection in
                try connection.query("SELECT receipt, pin_receipt FROM instance").flatMap {
                    [try $0.optionalBlob("receipt"), try $0.optionalBlob("pin_receipt")].compactMap(\.self)
                }
            }
            return Receipts(long: columns.count { $0.count == 254 && $0.first == 1 }, all: columns.count)
        }
    }

    private func run(on backend: StoreBackend, _ body: @Sendable @escaping (World) async throws -> Void) async throws {
        let before = AuthenticationSchema.migrations.filter { $0.number < AuthenticationSchema.shortReceipts }
        let work = { @Sendable (database: any Database) in
            let lossy = misbehavingDatabase(over: database)
            try await lossy.migrate(before)
            try await body(World(lossy))
        }
        if backend == .postgresql { try await PostgreSQLDatabase.lend { try await work($0) } } else { try await work(try SQLiteDatabase.inMemory()) }
    }

    private static let engines: [StoreBackend] = StoreBackend.allCases.filter { $0 == .sqliteInMemory || $0 == .postgresql }

    /// As logins leave them: one in three by a biometric, with the newest receipt by PIN beside it; one in ten has none yet.
    private static func instances(_ count: Int) -> [Instance] {
        var random = SplitMix(seed: 44)
        return (0..<count).map { number -> Instance in
            let id = InstanceID(random.bytes(16))!
            let key = random.bytes(32)
            func receipt(_ method: Methods, _ attempt: AttemptID) -> Encoded<Receipt> {
                var receipt = Receipt(
                    serverID: Sample.server, instanceID: id, attemptID: attempt, sessionHash: random.bytes(32), context: .verify, method: method,
                    epoch: 1, sequence: UInt64(number), secondFactorKey: key, signaturesHash: random.bytes(32), withoutPIN: UInt16(number % 3),
                    lastPIN: Sample.now - UInt64(number), issuedAt: Sample.now)
                receipt.signature = OperatorSignature(keyID: random.bytes(8), ed25519: random.bytes(64))
                return Encoded(receipt)
            }
            let tried = AttemptID(random.bytes(16))!
            var instance = Instance(
                id: id, server: Sample.server, sequence: AttemptSequence(last: UInt64(number)),
                epochs: [.init(number: 1, serverShare: StoredSecret(random.bytes(32)), secondFactorKey: key)],
                evaluated: TriedAttempt(id: tried, epoch: 1, madeAt: Sample.now))
            guard number % 10 != 9 else { return instance }
            instance.receipt = receipt(.pin, tried)
            guard number % 3 == 2 else { return instance }
            instance.pinReceipt = instance.receipt
            instance.receipt = receipt(.bio, AttemptID(random.bytes(16))!)
            return instance
        }
    }

    @Test("All of them are, each is the same receipt as before, and that is the end of it", arguments: engines)
    func all(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(450)
            try await world.save(instances)
            let before = try await world.count()
            #expect(before.long == before.all && before.all > 450)
            let repacking = ReceiptRepacking(store: world.store)
            // Nothing happens before the step.
            #expect(try await !repacking.run { true })
            #expect(try await world.count() == before)
            try await world.takeStep()
            let asked = Mutex(0)
            let isMore = try await repacking.run {
                asked.withLock { $0 += 1 }
                return true
            }
            #expect(!isMore)
            // 200, 200 and 50.
            #expect(asked.withLock { $0 } == 2)
            #expect(try await world.count() == Receipts(long: 0, all: before.all))
            #expect(try await world.kept(instances) == instances)
            #expect(try await !world.store.hasReceiptsOfBefore())
        }
    }

    @Test("Ended between two batches it goes on where it was, and goes over no row twice", arguments: engines)
    func goesOn(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(450)
            try await world.save(instances)
            try await world.takeStep()
            let repacking = ReceiptRepacking(store: world.store)
            #expect(try await !repacking.run { false })
            let done = try #require(try await Self.place(in: world))
            let ids = instances.map(\.id.bytes).sorted { $0.lexicographicallyPrecedes($1) }
            #expect(done == ids[199])
            // What stands before the place is taken as done, whatever it is: a node that had not heard of the step yet has written it meanwhile.
            let early = Set(ids.prefix(200))
            var changed = try #require(instances.first { $0.receipt != nil && early.contains($0.id.bytes) })
            changed.biometricKey = Sample.bytes(1, 65)
            let kept = changed
            try await world.late.write { rows, _ in try rows.save(kept) }
            #expect(try await world.kept([kept]) == [kept])
            #expect(try await !repacking.run { true })
            #expect(try await world.count().long == [kept.receipt, kept.pinReceipt].count { $0 != nil })
            #expect(try await world.kept(instances.filter { $0.id != kept.id }) == instances.filter { $0.id != kept.id })
            // With the next login it is short, too.
            try await world.save([kept])
            #expect(try await world.count().long == 0)
        }
    }

    private static func place(in world: World) async throws -> [UInt8]? {
        try await world.database.read { try $0.one("SELECT place FROM repacking WHERE is_over = 0")?.blob("place") }
    }

    @Test("A receipt that is none stays as it is and holds up no other; a server without instances has nothing to do", arguments: engines)
    func broken(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(3)
            try await world.save(instances)
            let id = instances[1].id
            try await world.database.transaction {
                try $0.execute("UPDATE instance SET receipt = $2 WHERE id = $1", [SQLValue(id), .blob([UInt8](repeating: 0, count: 254))])
            }
            try await world.takeStep()
            #expect(try await !ReceiptRepacking(store: world.store).run { true })
            #expect(try await world.count().long == 0)
            #expect(try await world.kept([instances[0], instances[2]]) == [instances[0], instances[2]])
            await #expect(throws: WireError.badVersion) { try await world.kept([instances[1]]) }
        }
        try await run(on: backend) { world in
            try await world.takeStep()
            #expect(try await !world.store.hasReceiptsOfBefore())
        }
    }

    @Test("A row that cannot be read stays as it is and holds up no other", arguments: engines)
    func unreadable(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(5)
            try await world.save(instances)
            let id = instances[1].id
            try await world.database.transaction { try $0.execute("UPDATE instance SET evaluated_epoch = -1 WHERE id = $1", [SQLValue(id)]) }
            try await world.takeStep()
            #expect(try await !ReceiptRepacking(store: world.store).run { true })
            #expect(try await world.count().long == 1)
            #expect(try await !world.store.hasReceiptsOfBefore())
            let others = instances.filter { $0.id != id }
            #expect(try await world.kept(others) == others)
            await #expect(throws: SQLError.outOfRange("evaluated_epoch")) { try await world.kept([instances[1]]) }
        }
    }

    @Test("Moved in the middle, receipts of both forms are what they were, and it goes on where it was", arguments: engines)
    func movedHalfWay(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(450)
            try await world.save(instances)
            try await world.takeStep()
            #expect(try await !ReceiptRepacking(store: world.store).run { false })
            let (half, place) = (try await world.count(), try await Self.place(in: world))
            #expect(half.long > 0 && half.long < half.all && place != nil)
            let target = try await world.moved()
            try await target.step.look()
            #expect(target.step.isTaken)
            #expect(try await target.count() == half)
            #expect(try await Self.place(in: target) == place)
            #expect(try await target.kept(instances) == instances)
            #expect(try await !ReceiptRepacking(store: target.store).run { true })
            #expect(try await target.count() == Receipts(long: 0, all: half.all))
            #expect(try await target.kept(instances) == instances)
        }
    }

    @Test("Moved while the step waits, they are brought into it by the server that starts on the target and takes it", arguments: engines)
    func movedBefore(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(20)
            try await world.save(instances)
            let target = try await world.moved()
            try await target.step.look()
            #expect(!target.step.isTaken)
            // A start: the target is a file.
            try await target.database.migrate(AuthenticationSchema.migrations)
            try await target.step.look()
            #expect(target.step.isTaken)
            #expect(try await target.count() == world.count())
            #expect(try await !ReceiptRepacking(store: target.store).run { true })
            #expect(try await target.count().long == 0)
            #expect(try await target.kept(instances) == instances)
        }
    }

    @Test(
        "Where a failover has lost the step nothing is repacked and nothing fails, receipts are written in full, and it begins anew with the step",
        arguments: engines)
    func lostStep(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            let instances = Self.instances(20)
            try await world.save(instances)
            try await world.takeStep()
            try await world.database.loseWaitingStep()
            try await world.step.look()
            #expect(try await !ReceiptRepacking(store: world.store).run { true })
            var changed = instances[0]
            changed.biometricKey = Sample.bytes(1, 65)
            try await world.save([changed])
            let before = try await world.count()
            #expect(before.long == before.all)
            try await world.takeStep()
            #expect(try await !ReceiptRepacking(store: world.store).run { true })
            #expect(try await world.count().long == 0)
            let now = [changed] + Array(instances.dropFirst())
            #expect(try await world.kept(now) == now)
        }
    }

    @Test("Whatever else of an instance changes, by nodes that write either form, its receipts stay what they are", arguments: engines)
    func changes(on backend: StoreBackend) async throws {
        try await run(on: backend) { world in
            try await world.takeStep()
            let stores = [world.store, world.late]
            var instance = Self.instances(3)[2]
            try await world.save([instance])
            var random = SplitMix(seed: 45)
            for round in 0..<60 {
                // Each of these is a column that a short form may count on.
                switch Int.random(in: 0..<4, using: &random) {
                case 0: instance.evaluated = nil
                case 1: instance.evaluated = TriedAttempt(id: AttemptID(random.bytes(16))!, epoch: 1, madeAt: Sample.now)
                case 2:
                    let tried = instance.pinReceipt ?? instance.receipt
                    instance.evaluated = tried.map { TriedAttempt(id: $0.value.attemptID, epoch: 1, madeAt: Sample.now) }
                default: (instance.receipt, instance.pinReceipt) = (instance.pinReceipt, instance.receipt)
                }
                instance.sequence = AttemptSequence(last: UInt64(round))
                let (saved, store) = (instance, stores[Int.random(in: 0..<2, using: &random)])
                try await store.write { rows, _ in
                    // As all do: on what is there.
                    guard try rows.instance(saved.id) != nil else { return }
                    try rows.save(saved)
                }
                let found = try await world.kept([saved])
                #expect(
                    found.first?.receipt?.bytes == saved.receipt?.bytes && found.first?.pinReceipt?.bytes == saved.pinReceipt?.bytes,
                    "round \(round)")
                #expect(found.first?.evaluated == saved.evaluated)
            }
        }
    }
}
