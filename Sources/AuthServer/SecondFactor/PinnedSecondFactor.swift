import Authentication
import Database
import HTTPCalls
import Logging
import OstiaryProtocol
import Synchronization

/// The one second-factor server that this server works with, known by the hash of its root.
///
/// Whatever else answers at its address is an unreachable second-factor server: logins wait, and everything that needs none goes on.
package final class PinnedSecondFactor: SecondFactorGateway {
    /// Seconds after which its keys and prekeys are asked for again.
    private static let freshFor: UInt64 = 3_600

    private struct Known: Sendable {
        let identity: VerifiedSecondFactor
        let seenAt: Instant
    }

    /// What is known of the way there.
    package let watch: SecondFactorWatch
    private let transport: any SecondFactorTransport
    private let prober: SecondFactorProber
    private let rootHash: [UInt8]
    private let memory: SecondFactorMemory
    private let checkLimit: Duration
    private let clock: @Sendable () -> Instant
    private let known = Mutex<Known?>(nil)

    /// - Parameters:
    ///   - checkLimit: how long ``check()`` takes at most: less than whoever asks for readiness waits.
    ///   - uptime: a clock that nobody sets.
    init(
        transport: any SecondFactorTransport, prober: SecondFactorProber, rootHash: [UInt8], database: any Database, logger: Logger,
        checkLimit: Duration, clock: @Sendable @escaping () -> Instant,
        uptime: @Sendable @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.transport = transport
        self.prober = prober
        self.rootHash = rootHash
        self.checkLimit = checkLimit
        self.clock = clock
        memory = SecondFactorMemory(database: database, rootHash: rootHash)
        watch = SecondFactorWatch(address: transport.address, logger: logger, clock: clock, uptime: uptime)
    }

    /// What is known, asked for anew once an hour. While the server does not answer, or has no prekey, what was last known stays.
    package func identity() async throws -> VerifiedSecondFactor {
        let now = clock()
        let present = known.withLock { $0 }
        if let present, now.distance(to: present.seenAt) < Self.freshFor { return present.identity }
        let found = try? await refreshedIdentity()
        if let found, found.prekey(at: now) != nil { return found }
        if let present { return present.identity }
        if let bytes = try await memory.identity(), let stored = try? VerifiedSecondFactor.verify(bytes, rootHash: rootHash, at: now) {
            return stored
        }
        guard let found else { throw SecondFactorUnreachable() }
        return found
    }

    /// What was verified last, by any start of this program: who it is does not change with a clock that is behind, and without a bundle no phone can see that
    /// one is.
    package func publishedIdentity() async throws -> Encoded<SecondFactorIdentity> {
        do { return try await identity().identity } catch let unreachable as SecondFactorUnreachable {
            guard let stored = try await memory.identity(), (try? OperatorKeys.verify(stored.value.chain, rootHash: rootHash)) != nil else {
                throw unreachable
            }
            return stored
        }
    }

    /// - Returns: what it says now: keys that may be new, and maybe no prekey that phones can seal to.
    /// - Throws: `SecondFactorUnreachable`, whatever the reason; the watch knows it.
    package func refreshedIdentity() async throws -> VerifiedSecondFactor {
        try await noted { try await seen() }
    }

    package func call(_ call: SecondFactorCall) async throws -> [UInt8] {
        try await noted { try await transport.call(call.encoded) }
    }

    private func noted<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        let exchange = watch.begin()
        do {
            let answer = try await ask()
            watch.answered(exchange)
            return answer
        } catch {
            note(error, in: exchange)
            throw SecondFactorUnreachable()
        }
    }

    /// Whether the second-factor server answers now, is the right one, trusts this one and can count, for somebody who is told at once. Changes nothing there.
    /// - Throws: ``SecondFactorWatch/Finding``, or the bare trouble when another exchange that began later has ended meanwhile and found none.
    package func check() async throws {
        try await noting { exchange in try await within(checkLimit) { [self] in try await probe(exchange) } }
    }

    /// The same, for whoever decides by it what is for good: both its calls have the time that a call of a login has. Somebody who makes the line slow, and lets
    /// people log in, could else have a clock that leaps believed.
    /// - Throws: as ``check()``.
    package func look() async throws {
        try await noting { exchange in try await probe(exchange) }
    }

    private func noting(_ body: (SecondFactorWatch.Exchange) async throws -> Void) async throws {
        let exchange = watch.begin()
        do { try await body(exchange) } catch {
            note(error, in: exchange, isProbe: true)
            throw watch.present ?? error
        }
        watch.works(exchange)
    }

    private func probe(_ exchange: SecondFactorWatch.Exchange) async throws {
        let found = try await identified()
        let now = clock()
        try await prober.prove(over: transport, to: found.keys, at: now)
        // An answer to this very probe. What is said of its keys anybody can have kept from another time.
        watch.clocksAgree(exchange, at: now)
        guard found.verified?.prekey(at: clock()) != nil else { throw SecondFactorTrouble.keysNotValid }
    }

    /// Whether the second-factor server contradicts the clock by which it is `now` here: in its answer to a probe it says so, or signs by a key that is not valid
    /// at that time, or none of ours is. What it says of its keys unasked, which can be an answer of long ago, contradicts nobody.
    /// One that does not answer contradicts nobody; but what it has said before it takes back only when it answers again, and all is in order.
    /// - Throws: `CancellationError` when this server stops: then nobody has looked.
    package func contradicts(_ now: Instant) async throws -> Bool {
        try? await look()
        try Task.checkCancellation()
        // It was asked at another time, if the clock was set meanwhile.
        return watch.isClockContradicted || clock().distance(to: now) > PhoneRequest.window
    }

    /// A call that this server gave up itself, because it stops, says nothing of the other one.
    private func note(_ error: any Error, in exchange: SecondFactorWatch.Exchange, isProbe: Bool = false) {
        guard !Task.isCancelled else { return }
        watch.failed(error as? SecondFactorTrouble ?? (error is TimeLimitPassed ? .timeout : .noAnswer), in: exchange, isProbe: isProbe)
    }

    /// The same at the start of the program, when another second-factor server is a mistake of the operator who is looking.
    /// - Throws: ``SecondFactorIdentityError`` if what answers is one whose own signatures verify. Everything else can mend itself.
    package func checkAtStart() async throws(SecondFactorIdentityError) {
        do { try await check() } catch {
            guard case .another(let found)? = watch.present?.trouble else { return }
            throw SecondFactorIdentityError(expected: rootHash, found: found)
        }
    }

    /// What answers to the name of the pinned root.
    private struct Found: Sendable {
        /// Certified by that root, each for its time.
        let keys: OperatorKeys
        /// Nil where none of what it says of itself is valid at this server's time.
        let verified: VerifiedSecondFactor?
    }

    /// Who answers, by keys that are valid now.
    private func seen() async throws -> VerifiedSecondFactor {
        guard let verified = try await identified().verified else { throw SecondFactorTrouble.keysNotValid }
        return verified
    }

    /// Asks, and believes nothing that the pinned root does not vouch for.
    private func identified() async throws -> Found {
        let now = clock()
        let bytes = try await transport.identity()
        guard let identity = try? Encoded<SecondFactorIdentity>(decoding: bytes) else { throw SecondFactorTrouble.notOne }
        let found = identity.value.chain.root.hash
        guard found == rootHash else { throw Self.isGenuine(identity, at: now) ? SecondFactorTrouble.another(found: found) : .notOne }
        // Asked every ten seconds, it says the same for hours.
        let former = known.withLock { $0?.identity }
        guard let verified = try? VerifiedSecondFactor.verify(identity, rootHash: rootHash, at: now, former: former) else {
            guard let keys = try? OperatorKeys.verify(identity.value.chain, rootHash: rootHash) else { throw SecondFactorTrouble.notOne }
            return Found(keys: keys, verified: nil)
        }
        // Its chain is in every bundle, for anybody to send: without a prekey that phones can seal to, it takes no other's place. But the right one
        // has none either while its clock is far behind, and has erased what was known when that is put right: it is asked when it is next needed.
        guard verified.prekey(at: now) != nil else {
            known.withLock { known in known = known.map { Known(identity: $0.identity, seenAt: Instant(0)) } }
            return Found(keys: verified.keys, verified: verified)
        }
        known.withLock { $0 = Known(identity: verified, seenAt: now) }
        // Only for a start without it: a disk that is full makes the second-factor server no worse.
        try? await memory.keep(identity.bytes, at: now)
        return Found(keys: verified.keys, verified: verified)
    }

    /// Whether an identity is what some second-factor server says of itself: a root, keys that it certified, prekeys that these signed.
    private static func isGenuine(_ identity: Encoded<SecondFactorIdentity>, at now: Instant) -> Bool {
        let (chain, prekeys) = (identity.value.chain, identity.value.prekeys)
        guard !chain.certificates.isEmpty, !prekeys.isEmpty else { return false }
        return (try? VerifiedSecondFactor.verify(identity, rootHash: chain.root.hash, at: now)) != nil
    }
}

/// The second-factor server that answers at the start is another one than the one that was configured.
package struct SecondFactorIdentityError: Error, Equatable, CustomStringConvertible {
    package let expected: [UInt8]
    package let found: [UInt8]

    package var description: String {
        "the second-factor server has the identity \(Base64URL.encode(found)), not \(Base64URL.encode(expected)): "
            + "check OSTIARY_SECOND_FACTOR_URL and OSTIARY_SECOND_FACTOR_IDENTITY"
    }
}
