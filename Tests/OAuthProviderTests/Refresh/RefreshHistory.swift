import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A client as it should be, from its login on, at the whole token endpoint: it keeps the newest token that it heard of, and repeats what was not answered.
struct RefreshHistory {
    /// What its refresh tokens are nothing without.
    enum Client: CaseIterable, Sendable {
        case bearer, secret, key
    }

    /// What became of it.
    enum End: Equatable {
        case staysLoggedIn
        /// Its renewed token was lost, and it came back when the predecessor was over: the one case that the rule has.
        case cameTooLate
        case wrong(String)
    }

    private enum Outcome: Sendable {
        case answered(TokenResponse)
        case refused(TokenRefusal)
        case lost
    }

    private let client: Client
    private let wrongRule: WrongRefreshRule?
    private let fixture: ProviderFixture
    private var random: SplitMix
    private var held: String?
    private var grant: GrantID?
    private var generation: UInt32 = 0
    /// When the token after the held one was first given out, while the client has not heard of it.
    private var renewedAt: Instant?
    /// How many calls nobody heard an answer of.
    private(set) var losses = 0

    init(seed: UInt64, of client: Client, wrongRule: WrongRefreshRule?) async throws {
        self.client = client
        self.wrongRule = wrongRule
        random = SplitMix(seed: seed)
        fixture = try await ProviderFixture()
        // Nothing is signed then, and thousands of answers take seconds.
        try await fixture.changeAPI { $0.form = .opaque }
    }

    /// A login, and these many refreshes with anything from a second to a month between.
    mutating func run(refreshes: Int) async throws -> End {
        if let wrong = try await logIn() { return .wrong(wrong) }
        for _ in 0..<refreshes {
            fixture.clock.advance(UInt64.random(in: 1...2_592_000, using: &random))
            let end = try await refresh()
            guard end == .staysLoggedIn else { return end }
        }
        return .staysLoggedIn
    }

    private mutating func isUnlucky() -> Bool { Int.random(in: 0..<100, using: &random) < 5 }

    private mutating func fate() -> CallFate {
        if isUnlucky() { return .requestLost }
        if isUnlucky() { return [CallFate.commitLost, .commitUnheard, .commitLookedAt].randomElement(using: &random) ?? .commitLost }
        return isUnlucky() ? .answerLost : .fine
    }

    private mutating func pause() { fixture.clock.advance(UInt64.random(in: 1...900, using: &random)) }

    private var way: Way { Way(fixture: fixture, grant: grant, wrongRule: wrongRule) }

    /// The way of a call to the provider and back.
    private struct Way: Sendable {
        let fixture: ProviderFixture
        let grant: GrantID?
        let wrongRule: WrongRefreshRule?

        func outcome(of call: TokenCall, _ fate: CallFate) async throws -> Outcome {
            guard fate != .requestLost else { return .lost }
            let store = LossyOAuthStore(store: fixture.memory, fate: fate, grant: grant, wrongRule: wrongRule)
            let services = OAuthServices(store: store, keyring: fixture.keyring, random: fixture.random)
            do {
                let response = try await services.token.answer(call, at: fixture.now)
                return fate == .answerLost ? .lost : .answered(response)
            } catch let refusal as TokenRefusal {
                return fate == .answerLost ? .lost : .refused(refusal)
            } catch is LossyOAuthStore.Lost {
                return .lost
            }
        }
    }
}

/// The login: a code is good once and for a minute, and whose answer was lost begins anew.
extension RefreshHistory {
    private static let scope = "read:timesheets offline_access"

    private func code() async throws -> String {
        switch client {
        case .bearer, .key: try await fixture.code(["scope": Self.scope])
        case .secret: try await fixture.code(for: fixture.webAuthorization(["scope": Self.scope]), consented: ProviderFixture.scope(Self.scope))
        }
    }

    private func exchange(_ code: String) throws -> TokenCall {
        switch client {
        case .bearer: return try fixture.exchange(code)
        case .key: return try fixture.exchange(code, proofs: [try fixture.proof()])
        case .secret:
            let changes: KeyValuePairs<String, String?> = ["client_id": nil, "redirect_uri": "https://reports.example/cb?tenant=1"]
            return try fixture.exchange(code, changes, authorization: [ProviderFixture.basic])
        }
    }

    /// - Returns: what went wrong; nil when it has tokens.
    private mutating func logIn() async throws -> String? {
        while true {
            let givenAt = fixture.now
            let code = try await code()
            var isSpent = false
            // It asks again once with the code that it has.
            for _ in 0..<2 {
                let fate = fate()
                switch try await way.outcome(of: try exchange(code), fate) {
                case .answered(let response):
                    guard !isSpent else { return "a code was taken twice" }
                    return take(response, expecting: 0)
                case .refused(let refusal):
                    guard isSpent || fixture.now > givenAt + AuthorizationCode.life else { return "\(refusal) for a code that is good" }
                case .lost:
                    losses += 1
                    isSpent = isSpent || fate.isKept
                    pause()
                }
            }
        }
    }

    /// Keeps what an answer brought, and says what is wrong with it.
    private mutating func take(_ response: TokenResponse, expecting expected: UInt32) -> String? {
        guard let text = response.refreshToken, let token = fixture.keyring.tokenKeys.derivation.refreshToken(text) else { return "no refresh token" }
        guard token.grant == grant ?? token.grant else { return "another family" }
        guard token.generation == expected else { return "generation \(token.generation) came, and \(expected) is next" }
        guard (response.type == .dpop) == (client == .key) else { return "bound to \(response.type)" }
        (held, grant, generation) = (text, token.grant, expected)
        return nil
    }
}

/// The refreshes.
extension RefreshHistory {
    private func call() throws -> TokenCall {
        switch client {
        case .bearer: return try fixture.refresh(held)
        case .key: return try fixture.refresh(held, proofs: [try fixture.proof()])
        case .secret: return try fixture.call(["grant_type": "refresh_token", "refresh_token": held], authorization: [ProviderFixture.basic])
        }
    }

    /// The successor was given out more than ten minutes ago, and whoever comes now with its predecessor may be a thief.
    private var isTooLate: Bool {
        guard client == .bearer, let renewedAt else { return false }
        return fixture.now > renewedAt + RefreshFamily.grace
    }

    private mutating func refresh() async throws -> End {
        renewedAt = nil
        let next = client == .bearer ? generation + 1 : 0
        while true {
            var isAnswered = false
            for outcome in try await ask() {
                switch outcome {
                case .lost: losses += 1
                case .refused(let refusal):
                    // The first to come too late is the alarm, and ends the grant for whoever comes after.
                    let isDue = isTooLate && [.refreshReused, .grantOver].contains(refusal)
                    return isDue ? .cameTooLate : .wrong("logged out by \(refusal)")
                case .answered(let response):
                    guard !isTooLate else { return .wrong("a predecessor was taken after its time") }
                    if let wrong = take(response, expecting: next) { return .wrong(wrong) }
                    isAnswered = true
                }
            }
            if isAnswered { return try await isOneFamily() ? .staysLoggedIn : .wrong("the row is not what was given") }
            pause()
        }
    }

    /// Sends what it has once, or, one time in ten, twice at once.
    private mutating func ask() async throws -> [Outcome] {
        let way = way
        let (first, firstFate) = (try call(), fate())
        guard Int.random(in: 0..<10, using: &random) == 0 else {
            let outcome = try await way.outcome(of: first, firstFate)
            note([firstFate])
            return [outcome]
        }
        let (second, secondFate) = (try call(), fate())
        async let one = way.outcome(of: first, firstFate)
        async let other = way.outcome(of: second, secondFate)
        let outcomes = [try await one, try await other]
        note([firstFate, secondFate])
        return outcomes
    }

    private mutating func note(_ fates: [CallFate]) {
        if renewedAt == nil, fates.contains(where: \.isKept) { renewedAt = fixture.now }
    }

    private func isOneFamily() async throws -> Bool {
        let grant = try #require(grant)
        let family = try await fixture.memory.read { rows in try rows.family(of: grant) }
        return family?.generation == generation
    }
}
