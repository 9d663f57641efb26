import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

/// Guessing without end, on the rules alone: days of tries are a moment of computing. The attacker opens as many sessions as he likes, knows every
/// reference, and never tries a code twice.
@Suite("An attacker who guesses offline codes")
struct OfflineGuessTests {
    private static let server = ServerID([UInt8](repeating: 1, count: 16))!
    /// A fifth of a year, in which he can try a fifth as often.
    private static let days: UInt64 = 73

    /// The rows that the rules keep.
    private struct Server {
        var tries: [UInt32: OfflineTries] = [:]
        var failures = OfflineFailures(server: OfflineGuessTests.server, since: Instant(0), count: 0)
        private(set) var compared: UInt64 = 0

        /// Whether the try is compared with anything; if so it was counted.
        mutating func takes(_ reference: UInt32, at now: Instant) -> Bool {
            let known = tries[reference] ?? OfflineTries(server: OfflineGuessTests.server, reference: reference)
            guard known.wait(at: now) == nil, failures.wait(at: now) == nil else { return false }
            tries[reference] = known.counted(at: now)
            failures = failures.counted(at: now)
            compared += 1
            return true
        }

        /// Seconds until another try of it is taken.
        func wait(_ reference: UInt32, at now: Instant) -> UInt64 {
            max(tries[reference]?.wait(at: now) ?? 0, failures.wait(at: now) ?? 0)
        }
    }

    /// How many tries of `references` accounts are compared in a year, if he comes whenever there is one.
    private func year(of references: UInt32) async -> UInt64 {
        await onOwnThread {
            var (server, now, reference) = (Server(), DomainFixture.start, UInt32(0))
            let end = now + Self.days * 86_400
            while now < end {
                if server.takes(reference, at: now) {
                    reference = (reference + 1) % references
                } else {
                    now = now + max(1, server.wait(reference, at: now))
                }
            }
            return server.compared * 365 / Self.days
        }
    }

    @Test("A24, S2-22 one person's codes: ten a day and no more, which is one hit in a hundred and fifty thousand years")
    func bruteForce() async {
        let tries = await year(of: 1)
        #expect((3_640...3_660).contains(tries))
        #expect(Double(tries) * 2 / 0x1p30 < 6.9e-6)
    }

    @Test("A24 a million persons' codes, sprayed: a thousand a day of them all, so 2^-10.5 hits a year, where ten of each would have been 6.8")
    func spraying() async {
        let tries = await year(of: 1_000_000)
        #expect((364_000...366_000).contains(tries))
        #expect(Double(tries) * 2 / 0x1p30 < 6.9e-4)
        #expect(Double(tries) * 2 / 0x1p40 < 6.7e-7, "with LONG_OTP")
    }

    /// What is bounded is how often is compared; this is how often that hits, in a code short enough for a test to see hits: the rate of tries that the rules
    /// let by, times two codes, is that of the hits.
    @Test("A24 of a seeded attacker's tries two in 2^b hit, the codes of the current and of the previous interval, and no more")
    func rate() async throws {
        try await onOwnThread {
            var random = SplitMix(seed: 24)
            let session = OfflineSession(serverTag: [1, 2, 3, 4], id: SessionID([UInt8](repeating: 2, count: 16))!)
            // Eleven bits of the thirty: the rest of a guess is given to him.
            let (bits, tries) = (UInt64(11), 20_000)
            var hits = 0
            for account in 0..<tries {
                let key = SecretBytes(SHA(Array("\(account)".utf8)))
                let codes = try [UInt64(9), 10].map { interval in
                    try TypedOfflineCode(
                        OfflineCode(reference: 7, key: key, session: session, interval: interval, length: .six).exposed, length: .six
                    ).exposed >> (30 - bits)
                }
                let guess = random.next() >> (64 - bits)
                if codes.contains(guess) { hits += 1 }
            }
            // 19.5 are expected; five standard deviations to either side would be 0 to 42.
            #expect((3...42).contains(hits))
        }
    }
}
