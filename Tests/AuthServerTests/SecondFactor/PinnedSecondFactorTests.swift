import Authentication
import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("Whoever answers at the second-factor address", .timeLimit(.minutes(10)))
struct PinnedSecondFactorTests {
    /// Root of zeros, no certificate, no prekey.
    private static let junk = [UInt8](repeating: 0, count: 52)

    private struct Place {
        let clock = TestClock()
        /// Goes on whatever the clock says.
        let uptime = TestClock(Instant(0))
        let log = LogRecorder()
        let database: any Database
        let right: SomeIdentity
        let transport: BentTransport
        let prober: SecondFactorProber
        let pinned: PinnedSecondFactor

        init() async throws {
            let database = try SQLiteDatabase.inMemory()
            try await database.migrate(AuthenticationSchema.migrations)
            self.database = database
            right = try SomeIdentity(at: clock.now)
            transport = BentTransport(right)
            let keyring = try OneServerKeyring()
            prober = SecondFactorProber(keyring: keyring, server: keyring.keys.root.serverID, random: SystemRandomSource())
            let start = ContinuousClock.now
            pinned = PinnedSecondFactor(
                transport: transport, prober: prober, rootHash: right.hash, database: database, logger: log.logger(level: .info),
                checkLimit: .seconds(3_600), clock: { [clock] in clock.now },
                uptime: { [uptime] in start + .seconds(Int64(uptime.now.seconds)) })
        }

        /// One whose checks have hardly any time.
        func hurried() -> PinnedSecondFactor {
            PinnedSecondFactor(
                transport: transport, prober: prober, rootHash: right.hash, database: database, logger: log.logger(), checkLimit: .milliseconds(1),
                clock: { [clock] in clock.now })
        }

        func writtenAt() async throws -> UInt64? {
            try await database.read { try $0.one("SELECT seen_at FROM second_factor_identity")?.unsigned("seen_at") }
        }
    }

    /// A call that is on its way until its test ends it; it then has got no answer in time.
    private struct HeldCall {
        private let call: Task<[UInt8], any Error>
        private let release = AsyncStream<Void>.makeStream()

        init(_ message: SecondFactorCall, at place: Place) async {
            let begun = AsyncStream<Void>.makeStream()
            place.transport.pauseOnce { [release] in
                begun.continuation.finish()
                for await _ in release.stream {}
                throw SecondFactorTrouble.timeout
            }
            call = Task { [pinned = place.pinned] in try await pinned.call(message) }
            for await _ in begun.stream {}
        }

        func end() async throws {
            release.continuation.finish()
            _ = try await call.value
        }
    }

    @Test("Junk, another server, no server: each is unreachable, what was known stays, and the right one mends it by itself")
    func unreachable() async throws {
        let place = try await Place()
        try await place.pinned.check()
        let other = try SomeIdentity(at: place.clock.now)
        place.clock.advance(7_200)
        for (found, trouble) in [
            (.success(Self.junk), .notOne), (.success(other.bytes), .another(found: other.hash)), (.failure(.refused), .refused),
            (.success(Array(place.right.bytes.dropLast())), .notOne), (.success([]), .notOne),
        ] as [(Result<[UInt8], SecondFactorTrouble>, SecondFactorTrouble)] {
            place.transport.put(found)
            await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
            #expect(place.pinned.watch.present?.trouble == trouble)
            await #expect(throws: SecondFactorUnreachable.self) { _ = try await place.pinned.refreshedIdentity() }
            #expect(try await place.pinned.identity().identity.bytes == place.right.bytes)
        }
        place.transport.put(.success(place.right.bytes))
        try await place.pinned.check()
        #expect(place.pinned.watch.present == nil)
    }

    @Test("The start ends for another server whose own signatures verify, and for nothing else")
    func start() async throws {
        let place = try await Place()
        let other = try SomeIdentity(at: place.clock.now)
        let bare = SecondFactorIdentity(chain: ServerChain(root: other.root.root, certificates: []), prekeys: []).encoded
        let spliced = try SecondFactorIdentity(
            chain: ServerChain(
                root: other.root.root, certificates: [place.right.root.certify(place.right.key, from: place.clock.now, until: place.clock.now + 9)]),
            prekeys: SecondFactorIdentity(decoding: place.right.bytes).prekeys
        ).encoded
        let keyless = try SecondFactorIdentity(chain: SecondFactorIdentity(decoding: other.bytes).chain, prekeys: []).encoded
        for found in [.success(Self.junk), .success(bare), .success(keyless), .success(spliced), .failure(.timeout)]
            as [Result<[UInt8], SecondFactorTrouble>]
        {
            place.transport.put(found)
            try await place.pinned.checkAtStart()
        }
        place.transport.put(.success(other.bytes))
        let error = await #expect(throws: SecondFactorIdentityError.self) { try await place.pinned.checkAtStart() }
        #expect(error == SecondFactorIdentityError(expected: place.right.hash, found: other.hash))
    }

    @Test("Keys of the right root that are over, and own keys that cannot be had, are told as what they are; what was known of the other stays")
    func keys() async throws {
        let place = try await Place()
        let prober = SecondFactorProber(
            keyring: try OneServerKeyring(), server: ServerID(using: SystemRandomSource()), random: SystemRandomSource())
        let keyless = PinnedSecondFactor(
            transport: place.transport, prober: prober, rootHash: place.right.hash, database: place.database, logger: place.log.logger(),
            checkLimit: .seconds(3_600), clock: { [clock = place.clock] in clock.now })
        await #expect(throws: SecondFactorWatch.Finding.self) { try await keyless.check() }
        #expect(keyless.watch.present?.trouble == .ownKeysGone("\(UnknownServer())"))
        // Nobody has said anything of a clock.
        #expect(!keyless.watch.isClockContradicted)
        #expect(try await keyless.identity().identity.bytes == place.right.bytes)

        try await place.pinned.check()
        place.clock.advance(1_000_000)
        await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
        #expect(place.pinned.watch.present?.trouble == .keysNotValid)
        #expect(try await place.pinned.identity().identity.bytes == place.right.bytes)
    }

    @Test("The chain of the right one is in every bundle: whoever sends it without a prekey that is good now takes none away, here or on the disk")
    func withoutPrekey() async throws {
        let place = try await Place()
        try await place.pinned.check()
        let bare = SecondFactorIdentity(chain: try SecondFactorIdentity(decoding: place.right.bytes).chain, prekeys: []).encoded
        place.transport.put(.success(bare))
        for _ in 0..<2 {
            await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
            #expect(place.pinned.watch.present?.trouble == .keysNotValid)
            #expect(try await place.pinned.refreshedIdentity().prekey(at: place.clock.now) == nil, "its keys count all the same")
            #expect(try await place.pinned.identity().identity.bytes == place.right.bytes)
            place.clock.advance(7_200)
        }
        let later = PinnedSecondFactor(
            transport: place.transport, prober: place.prober, rootHash: place.right.hash, database: place.database,
            logger: place.log.logger(), checkLimit: .seconds(3_600), clock: { [clock = place.clock] in clock.now })
        #expect(try await later.identity().identity.bytes == place.right.bytes)
        // A prekey that is over is none.
        place.transport.put(.success(place.right.bytes))
        try await place.pinned.check()
        place.clock.advance(86_400)
        await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
        #expect(place.pinned.watch.present?.trouble == .keysNotValid)
    }

    @Test("A call that this server gives up itself, because it stops, says nothing of the other one")
    func givenUp() async throws {
        let place = try await Place()
        place.transport.put(.failure(.refused))
        let task = Task { [pinned = place.pinned] in
            while !Task.isCancelled { await Task.yield() }
            return (try? await pinned.refreshedIdentity()) == nil
        }
        task.cancel()
        #expect(await task.value)
        #expect(place.pinned.watch.present == nil && place.log.lines.isEmpty)
        _ = try? await place.pinned.refreshedIdentity()
        #expect(place.pinned.watch.present?.trouble == .refused)
    }

    @Test("A clock that was contradicted stays so while there is no answer, or one that says nothing of clocks, and until all is in order")
    func contradicted() async throws {
        let place = try await Place()
        let (right, now) = (place.right, place.clock.now)
        let silences: [SecondFactorTrouble] = [.refused, .timeout, .noAnswer, .status(503), .distrust]
        for isContradicted in [false, true, false] {
            place.transport.put(.success(right.bytes))
            place.transport.answer { try right.answer(toProbe: $0, status: isContradicted ? .clock : .ok) }
            #expect(try await place.pinned.contradicts(now) == isContradicted)
            for silence in silences {
                place.transport.put(.failure(silence))
                #expect(try await place.pinned.contradicts(now) == isContradicted, "\(silence)")
            }
        }
        // A moment from before the clock was set is none of now.
        place.clock.advance(121)
        #expect(try await place.pinned.contradicts(now))
        #expect(try await !place.pinned.contradicts(place.clock.now))
    }

    @Test("A101 What the right one said of its keys long ago, played again, contradicts no clock, and holds up nothing once a probe is answered")
    func oldIdentity() async throws {
        let place = try await Place()
        let (right, pinned, now) = (place.right, place.pinned, place.clock.now)
        let chain = try SecondFactorIdentity(decoding: right.bytes).chain
        let over = try PrekeySecret(id: 2, secret: SystemRandomSource().bytes(32)).published(until: now - 1, signedBy: right.key)
        place.transport.put(.success(SecondFactorIdentity(chain: chain, prekeys: [over]).encoded))
        for status in [.ok, .clock, .ok] as [Status] {
            place.transport.answer { try right.answer(toProbe: $0, status: status) }
            #expect(try await pinned.contradicts(now) == (status == .clock))
            #expect(pinned.watch.present?.trouble == (status == .clock ? .clocks : .keysNotValid))
            #expect(pinned.watch.isInOrder == (status == .ok), "as far as clocks go")
            place.transport.answer { _ in throw SecondFactorTrouble.noAnswer }
            #expect(try await pinned.contradicts(now) == (status == .clock))
            #expect(!pinned.watch.isInOrder)
        }
    }

    @Test("A101 A key of the right root that is over says something of the clocks where it has signed the answer to this very probe only")
    func oldKey() async throws {
        let place = try await Place()
        let (right, pinned, now) = (place.right, place.pinned, place.clock.now)
        let former = try OperatorKey(seed: SystemRandomSource().bytes(32))
        let chain = ServerChain(root: right.root.root, certificates: [right.root.certify(former, from: now - 999, until: now - 9)])
        let over = try PrekeySecret(id: 2, secret: SystemRandomSource().bytes(32)).published(until: now - 9, signedBy: former)
        place.transport.put(.success(SecondFactorIdentity(chain: chain, prekeys: [over]).encoded))
        // By a key that is not in that chain, by none, and what nobody asked.
        #expect(try await !pinned.contradicts(now))
        #expect(pinned.watch.present?.trouble == .notOne)
        place.transport.answer { _ in throw SecondFactorTrouble.noAnswer }
        #expect(try await !pinned.contradicts(now))
        await #expect(throws: SecondFactorUnreachable.self) { try await pinned.refreshedIdentity() }
        #expect(pinned.watch.present?.trouble == .keysNotValid && !pinned.watch.isClockContradicted)

        let recorded = Mutex<[UInt8]?>(nil)
        place.transport.answer { call in
            let probe = try Encoded<Probe>(decoding: try SecondFactorCall(decoding: call).message)
            let answer = SecondFactorAnswer(attemptID: probe.answerID, status: .ok, highest: 0, epoch: 0, tries: .none)
            let bytes = Encoded(answer, signedBy: former).bytes
            recorded.withLock { $0 = bytes }
            return bytes
        }
        #expect(try await pinned.contradicts(now))
        // The same answer again is none to the next probe: what stands is what was said.
        place.transport.put(.success(right.bytes))
        place.transport.answer { try right.answer(toProbe: $0) }
        #expect(try await !pinned.contradicts(now))
        place.transport.put(.success(SecondFactorIdentity(chain: chain, prekeys: [over]).encoded))
        place.transport.answer { _ in recorded.withLock { $0 ?? [] } }
        #expect(try await !pinned.contradicts(now))
    }

    @Test("A call that meets a failure of its own meanwhile hides nothing of a clock that is contradicted")
    func contradictedBesideFailure() async throws {
        let place = try await Place()
        let (right, pinned) = (place.right, place.pinned)
        let call = SecondFactorCall(caller: try OneServerKeyring().keys.chain, message: [])
        place.transport.answer { try right.answer(toProbe: $0, status: .clock) }
        place.transport.pauseOnce { _ = try? await pinned.call(call) }
        #expect(try await pinned.contradicts(place.clock.now))
        #expect(pinned.watch.present?.trouble == .noAnswer, "the call began later and has failed first")
    }

    @Test("A look that this server gives up, because it stops, answers nothing: whoever waits for it does not go on as if all was well")
    func givenUpLook() async throws {
        let place = try await Place()
        let task = Task { [pinned = place.pinned, now = place.clock.now] in
            while !Task.isCancelled { await Task.yield() }
            return try await pinned.contradicts(now)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("A check that is not done in its time is told as no answer in time")
    func checkLimit() async throws {
        let place = try await Place()
        let hurried = place.hurried()
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        // Until the call is given up.
        place.transport.pauseOnce { for await _ in never {} }
        await #expect(throws: SecondFactorWatch.Finding.self) { try await hurried.check() }
        #expect(hurried.watch.present?.trouble == .timeout)
        end.finish()
    }

    @Test("A99 A line that is too slow for a check, and on which people log in, hides no contradiction of the clock from whoever decides by it")
    func slowLine() async throws {
        let place = try await Place()
        let hurried = place.hurried()
        let right = place.right
        place.transport.answer { try right.answer(toProbe: $0, status: .clock) }
        // Until the check is given up, however long a busy machine takes for that.
        place.transport.pauseOnce {
            while true {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        await #expect(throws: SecondFactorWatch.Finding.self) { try await hurried.check() }
        #expect(hurried.watch.present?.trouble == .timeout && !hurried.watch.isClockContradicted)
        place.transport.pauseOnce {
            // Longer than a check may take.
            let end = ContinuousClock.now + .milliseconds(10)
            while ContinuousClock.now < end {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(try await hurried.contradicts(place.clock.now))
    }

    /// It was told as “cannot be used: nobody logs in with a PIN”, of a server that had answered meanwhile.
    @Test("A call that ends late says nothing of a server that has answered a later one, a probe or any other; the next failure is told")
    func late() async throws {
        for isProbe in [true, false] {
            let place = try await Place()
            let call = SecondFactorCall(caller: try OneServerKeyring().keys.chain, message: [])
            let old = await HeldCall(call, at: place)
            if isProbe {
                try await place.pinned.check()
            } else {
                place.transport.answer { _ in [] }
                #expect(try await place.pinned.call(call) == [])
            }
            await #expect(throws: SecondFactorUnreachable.self) { try await old.end() }
            #expect(place.pinned.watch.present == nil && place.log.lines.isEmpty, "\(place.log.lines)")

            place.transport.answer { _ in throw SecondFactorTrouble.timeout }
            await #expect(throws: SecondFactorUnreachable.self) { _ = try await place.pinned.call(call) }
            #expect(place.pinned.watch.present?.trouble == .timeout)
        }
    }

    @Test("A call that ends late brings back no former reason: what a later one met stands, and is one line")
    func lateReason() async throws {
        let place = try await Place()
        let call = SecondFactorCall(caller: try OneServerKeyring().keys.chain, message: [])
        let old = await HeldCall(call, at: place)
        place.transport.answer { _ in throw SecondFactorTrouble.refused }
        await #expect(throws: SecondFactorUnreachable.self) { _ = try await place.pinned.call(call) }
        await #expect(throws: SecondFactorUnreachable.self) { try await old.end() }
        #expect(place.pinned.watch.present?.trouble == .refused && place.log.lines.count == 1)
    }

    @Test("The log has a line when it begins, one when the reason changes and one when it is over, with address, reason and since when")
    func lines() async throws {
        let place = try await Place()
        for found in [.failure(.refused), .failure(.refused), .success(Self.junk), .success(Self.junk)] as [Result<[UInt8], SecondFactorTrouble>] {
            place.transport.put(found)
            for _ in 0..<3 { try? await place.pinned.check() }
            _ = try? await place.pinned.refreshedIdentity()
            place.clock.advance(10)
            place.uptime.advance(10)
        }
        let bad = place.log.lines("the second-factor server cannot be used: nobody logs in with a PIN")
        #expect(bad.map(\.level) == [.error, .error])
        #expect(bad.map(\.facts["reason"]) == [SecondFactorTrouble.refused.description, SecondFactorTrouble.notOne.description])
        #expect(bad.allSatisfy { $0.facts["address"] == "http://sf.example" && $0.facts["since"] == "2027-01-15T08:00:00Z" })
        // The clock is put right meanwhile: it lasted as long as it lasted.
        place.clock.advance(3_600)
        place.transport.put(.success(place.right.bytes))
        for _ in 0..<3 { try await place.pinned.check() }
        let good = place.log.lines("the second-factor server can be used again")
        #expect(good.count == 1 && good.first?.facts["lasted"] == "40 s")
        #expect(place.log.lines.count == 3)
    }

    /// Four pairs of lines a minute were told of a database behind it that went up and down.
    @Test("What goes up and down is in the log once a minute, with its end, by a clock that nobody sets; readiness says it each time")
    func upAndDown() async throws {
        let place = try await Place()
        func levels(after turns: String) async -> [Logger.Level] {
            let before = place.log.lines.count
            for turn in turns {
                place.transport.put(turn == "a" ? .failure(.refused) : .success(place.right.bytes))
                try? await place.pinned.check()
                #expect((place.pinned.watch.present == nil) == (turn == "-"))
                place.uptime.advance(10)
            }
            return place.log.lines.dropFirst(before).map(\.level)
        }
        // From 0 s to 60 s, and to 80 s.
        #expect(await levels(after: "a-a-a-") == [.error, .notice])
        #expect(await levels(after: "a-") == [.error, .notice])
    }

    @Test("The check of readiness says since when, and gives the log a reason without it")
    func reason() async throws {
        let place = try await Place()
        place.transport.put(.failure(.refused))
        let first = await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
        place.transport.put(.success(place.right.bytes))
        try await place.pinned.check()
        place.clock.advance(10)
        place.transport.put(.failure(.refused))
        let second = await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
        let former = try #require(first)
        let latter = try #require(second)
        #expect(former.description != latter.description && former.description.contains("since 2027-01-15T08:00:00Z"))
        #expect(former.reason == latter.reason && former.reason == "http://sf.example: \(SecondFactorTrouble.refused)")
    }

    @Test("An identity is written when it changed, not whenever it is looked at")
    func writes() async throws {
        let place = try await Place()
        try await place.pinned.check()
        let first = try #require(try await place.writtenAt())
        place.clock.advance(60)
        try await place.pinned.check()
        #expect(try await place.writtenAt() == first)
        // A second run of the program finds it there.
        let later = PinnedSecondFactor(
            transport: place.transport, prober: place.prober, rootHash: place.right.hash, database: place.database,
            logger: place.log.logger(), checkLimit: .seconds(3_600), clock: { [clock = place.clock] in clock.now })
        try await later.check()
        #expect(try await place.writtenAt() == first)
    }

    @Test("With a stranger at the second-factor address the bundle is served as it was known; before it was known, phones are asked to come back")
    func bundle() async throws {
        let place = try await Place()
        place.transport.put(.success(Self.junk))
        let service = try await AuthNode(
            .ofTests(pinning: place.right.hash), over: try SQLiteDatabase.inMemory(), secondFactor: place.transport, by: place.clock,
            logger: place.log.logger(level: .critical))
        let uri = "/ap1/bundle/\(Base64URL.encode(service.identityHash))"
        let other = try SomeIdentity(at: place.clock.now)
        try await Application(router: service.publicRouter).test(.router) { client in
            for found in [Self.junk, other.bytes] {
                place.transport.put(.success(found))
                let answer = try await client.execute(uri: uri, method: .get)
                #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
            }
            place.transport.put(.success(place.right.bytes))
            #expect(try await client.execute(uri: uri, method: .get).status == .ok)
            place.clock.advance(7_200)
            place.transport.put(.success(other.bytes))
            #expect(try await client.execute(uri: uri, method: .get).status == .ok)
        }
    }

    @Test(
        "What the second-factor server says of itself to a signed probe is told in words, and only its own answer to this very probe counts",
        arguments: [
            (.clock, .clocks), (.secondFactorUnavailable, .storage), (.refused, .distrust), (.busy, .distrust),
        ] as [(Status, SecondFactorTrouble)])
    func probed(status: Status, trouble: SecondFactorTrouble) async throws {
        let place = try await Place()
        let right = place.right
        place.transport.answer { try right.answer(toProbe: $0, status: status) }
        await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
        #expect(place.pinned.watch.present?.trouble == trouble)

        let recorded = Mutex<[UInt8]?>(nil)
        let stranger = try SomeIdentity(at: place.clock.now)
        let lies: [@Sendable ([UInt8]) throws -> [UInt8]] = [
            { try stranger.answer(toProbe: $0) },
            { try right.answer(toProbe: $0, id: AttemptID(using: SystemRandomSource())) },
            { call in
                // An answer of this server to an earlier probe.
                let fresh = try right.answer(toProbe: call)
                return recorded.withLock { kept in
                    defer { kept = fresh }
                    return kept ?? fresh
                }
            },
        ]
        for (index, lie) in lies.enumerated() {
            place.transport.answer(lie)
            if index == 2 { try await place.pinned.check() }
            await #expect(throws: SecondFactorWatch.Finding.self) { try await place.pinned.check() }
            #expect(place.pinned.watch.present?.trouble == .notOne)
        }
        place.transport.answer { try right.answer(toProbe: $0) }
        try await place.pinned.check()
    }

    @Test("A server that is told its own identity as that of the second-factor server does not start, and says which setting is wrong")
    func ownIdentity() async throws {
        let place = try await Place()
        let (database, key) = (try SQLiteDatabase.inMemory(), KeyEncryptionKey.random())
        let own = try await AuthNode.identityHash(
            database: database, keyEncryptionKey: key, logger: place.log.logger(level: .critical), clock: { [clock = place.clock] in clock.now })
        let error = await #expect(throws: OwnIdentityPinned.self) {
            _ = try await AuthNode(
                .ofTests(pinning: own), over: database, key: key, secondFactor: place.transport, by: place.clock,
                logger: place.log.logger(level: .critical))
        }
        #expect(error?.description.contains("OSTIARY_SECOND_FACTOR_IDENTITY") == true)
    }
}
