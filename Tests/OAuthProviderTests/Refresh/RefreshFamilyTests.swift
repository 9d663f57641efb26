import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Which refresh token comes next")
struct RefreshFamilyTests {
    private typealias Fixture = ProviderFixture
    private let now = Fixture.start

    private func family(_ binding: RefreshFamily.Binding = .none, life: RefreshLife = .unlimited) throws -> RefreshFamily {
        RefreshFamily(
            grant: Fixture.identifier(5, GrantKind.self), server: Fixture.server, client: try #require(ClientID("mobile")), binding: binding,
            life: life, createdAt: now)
    }

    /// The family after a use, and the generation that was given; nil for a refusal.
    private func use(_ generation: UInt32, of family: inout RefreshFamily, at moment: Instant) -> UInt32? {
        guard case .give(let given, let next) = family.ruling(on: generation, at: moment) else { return nil }
        family = next
        return given
    }

    @Test("A bearer token is renewed at each use")
    func renewed() throws {
        var family = try family()
        for generation in UInt32(0)..<5 { #expect(use(generation, of: &family, at: now + 60 * UInt64(generation)) == generation + 1) }
    }

    @Test("A token that is nothing without a key, or without the secret of its client, stays what it is, forever (S3-45)")
    func bound() throws {
        for binding in [RefreshFamily.Binding.key(try Fixture.phoneKey(51).key.thumbprint), .client] {
            var family = try family(binding)
            for day in UInt64(0)..<1_000 { #expect(use(0, of: &family, at: now + day * 86_400) == 0) }
            #expect(family.ruling(on: 1, at: now) == .unknown)
        }
    }

    @Test("rt_lost_response_retry_after_30s_ok, rt_retry_returns_same_successor: a retry gets the very token that was lost")
    func retry() throws {
        var family = try family()
        #expect(use(0, of: &family, at: now) == 1)
        for seconds in [UInt64(1), 30, 300, 600] { #expect(use(0, of: &family, at: now + seconds) == 1) }
        // The newest is what it was: nothing moved while it was unused.
        #expect(use(1, of: &family, at: now + 601) == 2)
    }

    @Test("The predecessor is good for ten minutes after the first answer, and a retry does not make that longer")
    func grace() throws {
        var family = try family()
        #expect(use(0, of: &family, at: now) == 1)
        #expect(use(0, of: &family, at: now + 599) == 1)
        #expect(family.ruling(on: 0, at: now + 601) == .reused)
    }

    @Test("rt_old_after_successor_used_revokes_family, rt_second_to_last_revokes")
    func reuse() throws {
        var family = try family()
        #expect(use(0, of: &family, at: now) == 1)
        #expect(use(1, of: &family, at: now + 1) == 2)
        #expect(family.ruling(on: 0, at: now + 2) == .reused)
        #expect(use(1, of: &family, at: now + 2) == 2)
    }

    @Test("A backup that is put back has older rows than its people have tokens: the later token is the newest, and what came before it is over")
    func putBack() throws {
        var family = try family()
        #expect(use(0, of: &family, at: now) == 1)
        // Of this family tokens up to 5 were given after the backup.
        #expect(use(5, of: &family, at: now + 5_000) == 6)
        #expect(family.generation == 6 && family.renewedAt == now + 5_000)
        // Its answer may get lost, as any other.
        #expect(use(5, of: &family, at: now + 5_600) == 6)
        for older in UInt32(0)...4 { #expect(family.ruling(on: older, at: now + 5_001) == .reused) }
        #expect(family.ruling(on: 5, at: now + 5_601) == .reused)
        #expect(use(6, of: &family, at: now + 5_601) == 7)
    }

    @Test("After a backup was put back a thief with an older token is found out as soon as the owner comes")
    func thiefAfterPutBack() throws {
        var family = try family()
        // The first token, which its owner has long replaced, is the newest that the row knows.
        #expect(use(0, of: &family, at: now) == 1)
        #expect(use(3, of: &family, at: now + 1) == 4)
        for stolen in [UInt32(0), 1] { #expect(family.ruling(on: stolen, at: now + 2) == .reused) }
    }

    @Test("A token that is later than its row knows is over by the times of the row")
    func putBackExpired() throws {
        let family = try family(life: RefreshLife(absolute: 100, idle: 50))
        guard case .give(4, _) = family.ruling(on: 3, at: now + 50) else {
            Issue.record("it is not over")
            return
        }
        #expect(family.ruling(on: 3, at: now + 51) == .expired)
        let long = try self.family(life: RefreshLife(absolute: 100, idle: nil))
        #expect(long.ruling(on: 3, at: now + 101) == .expired)
    }

    @Test("The last generation that there can be is taken, and stays")
    func last() throws {
        var family = try family()
        #expect(use(.max, of: &family, at: now) == .max)
        #expect(use(.max, of: &family, at: now + 1) == .max)
    }

    @Test("rt_absolute_and_idle_expiry: no use moves the end, a use moves the pause")
    func life() throws {
        var absolute = try family(life: RefreshLife(absolute: 100, idle: nil))
        #expect(use(0, of: &absolute, at: now + 100) == 1)
        #expect(absolute.ruling(on: 1, at: now + 101) == .expired)
        var idle = try family(life: RefreshLife(absolute: nil, idle: 100))
        #expect(use(0, of: &idle, at: now + 100) == 1)
        #expect(use(1, of: &idle, at: now + 200) == 2)
        #expect(idle.ruling(on: 2, at: now + 301) == .expired)
    }

    @Test("A theft is seen also when the tokens are over by their times")
    func lateReuse() throws {
        var family = try family(life: RefreshLife(absolute: 100, idle: nil))
        #expect(use(0, of: &family, at: now) == 1)
        #expect(use(1, of: &family, at: now + 1) == 2)
        #expect(family.ruling(on: 0, at: now + 1_000) == .reused)
    }

    @Test("A refresh token is known by its tag: no changed one is taken, and another server makes another")
    func derivation() throws {
        let (ours, other) = (TokenDerivation(secret: [UInt8](repeating: 1, count: 32)), TokenDerivation(secret: [UInt8](repeating: 2, count: 32)))
        let grant = Fixture.identifier(5, GrantKind.self)
        let token = ours.refreshToken(of: grant, generation: 258)
        let read = try #require(ours.refreshToken(token.text))
        #expect(read.grant == grant && read.generation == 258)
        #expect(other.refreshToken(token.text) == nil)
        #expect(ours.refreshToken(of: grant, generation: 259).text != token.text)
        #expect(!"\(token)".contains(token.text) && "\(ours)" == "TokenDerivation ‹secret›")
        let bytes = try #require(Base64URL.decode(token.text))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(ours.refreshToken(Base64URL.encode(changed)) == nil)
        }
        for count in 0..<bytes.count { #expect(ours.refreshToken(Base64URL.encode(Array(bytes.prefix(count)))) == nil) }
        #expect(ours.refreshToken(Base64URL.encode(bytes + [0])) == nil)
    }

    @Test("rt_charset_allowed: a refresh token is base64url")
    func charset() {
        let text = TokenDerivation(secret: [UInt8](repeating: 1, count: 32)).refreshToken(of: Fixture.identifier(5, GrantKind.self), generation: 0)
            .text
        #expect(text.utf8.count == 70 && Base64URL.decode(text) != nil)
    }
}

@Suite("Refresh over a network that loses answers")
struct LostAnswerTests {
    /// A client as it should be: it keeps the newest token that it heard of, and repeats what was not answered.
    private struct Client {
        var held: UInt32 = 0

        /// Refreshes once; false when it was logged out. Requests and answers are lost by chance, and it asks again after up to a minute.
        mutating func refresh(_ family: inout RefreshFamily, at moment: inout Instant, _ random: inout SplitMix) -> Bool {
            while true {
                let isRequestLost = Int.random(in: 0..<100, using: &random) < 5
                if !isRequestLost {
                    guard case .give(let given, let next) = family.ruling(on: held, at: moment) else { return false }
                    family = next
                    if Int.random(in: 0..<100, using: &random) >= 5 {
                        held = given
                        return true
                    }
                }
                moment = moment + UInt64.random(in: 1...60, using: &random)
            }
        }
    }

    /// A new one.
    private static func family(of client: ClientID) -> RefreshFamily {
        RefreshFamily(
            grant: ProviderFixture.identifier(5, GrantKind.self), server: ProviderFixture.server, client: client, binding: .none, life: .unlimited,
            createdAt: ProviderFixture.start)
    }

    @Test("In ten thousand seeded runs with 5 % loss each way nobody is logged out")
    func nobodyIsLoggedOut() async throws {
        let client = try #require(ClientID("mobile"))
        let loggedOut = await onOwnThread {
            (0..<10_000).count { seed in
                var random = SplitMix(seed: UInt64(seed))
                var moment = ProviderFixture.start
                var family = Self.family(of: client)
                var phone = Client()
                for _ in 0..<20 {
                    guard phone.refresh(&family, at: &moment, &random) else { return true }
                    // An access token is used up, or the phone was asleep for a month.
                    moment = moment + UInt64.random(in: 1...2_592_000, using: &random)
                }
                return false
            }
        }
        #expect(loggedOut == 0)
    }

    @Test("In ten thousand seeded runs in which backups are put back, too, nobody is logged out, and no token is given twice")
    func nobodyIsLoggedOutByBackups() async throws {
        let client = try #require(ClientID("mobile"))
        let loggedOut = await onOwnThread {
            (0..<10_000).count { seed in
                var random = SplitMix(seed: UInt64(seed))
                var moment = ProviderFixture.start
                var family = Self.family(of: client)
                var backup = family
                var phone = Client()
                for _ in 0..<20 {
                    let before = phone.held
                    guard phone.refresh(&family, at: &moment, &random), phone.held == before + 1 else { return true }
                    moment = moment + UInt64.random(in: 1...2_592_000, using: &random)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: backup = family
                    case 1: family = backup
                    default: break
                    }
                }
                return false
            }
        }
        #expect(loggedOut == 0)
    }

    @Test("A thief who uses a token that its owner uses too is found out when the two are more than ten minutes apart")
    func theft() throws {
        let client = try #require(ClientID("mobile"))
        var family = RefreshFamily(
            grant: ProviderFixture.identifier(5, GrantKind.self), server: ProviderFixture.server, client: client, binding: .none, life: .unlimited,
            createdAt: ProviderFixture.start)
        guard case .give(1, let stolen) = family.ruling(on: 0, at: ProviderFixture.start + 100) else {
            Issue.record("the thief comes first")
            return
        }
        family = stolen
        #expect(family.ruling(on: 0, at: ProviderFixture.start + 100 + RefreshFamily.grace + 1) == .reused)
    }
}
