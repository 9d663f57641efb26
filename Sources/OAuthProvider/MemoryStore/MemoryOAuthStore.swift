import Authentication
import OstiaryProtocol
import Synchronization

/// The provider's store in memory, for tests of the rules: the same promises as a database for as long as the process lives.
package final class MemoryOAuthStore: OAuthStore {
    private let state = Mutex(MemoryOAuthState())

    package init() {}

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value {
        try body(MemoryOAuthRows(state.withLock { $0 }))
    }

    @discardableResult
    package func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        try state.withLock { state in
            let rows = MemoryOAuthRows(state)
            let value = try body(rows, nil)
            state = rows.state
            return value
        }
    }

    /// The audit trail, in its order.
    package var audit: [AuditEntry] { state.withLock { $0.audit } }

    /// Changes what the other rows of the database would say: accounts and sessions.
    package func change(_ body: (inout MemoryPeople) -> Void) { state.withLock { body(&$0.people) } }

    /// Blocks an account as the other rows do, in the same transaction: its sessions end, and so does what it gave with offline access, for good
    /// (docs/decisions/0030).
    package func block(_ account: AccountID, at now: Instant) {
        state.withLock { state in
            state.people.accounts[account]?.isUsable = false
            state.people.sessions = state.people.sessions.filter { $0.value.account != account }
            for (id, grant) in state.grants where grant.holder == .device(account) && grant.revokedAt == nil { state.grants[id]?.revokedAt = now }
        }
    }

    /// Lifts a block. What it ended stays so.
    package func unblock(_ account: AccountID) { state.withLock { $0.people.accounts[account]?.isUsable = true } }
}

/// Accounts and sessions, as far as grants hang on them.
package struct MemoryPeople: Sendable {
    package struct Account: Sendable {
        package var userID: String?
        /// Neither blocked nor deleted: what the row says. What a block ends besides is `MemoryOAuthStore.block`'s.
        package var isUsable = true

        package init(userID: String?) { self.userID = userID }
    }

    package var accounts: [AccountID: Account] = [:]
    /// Those that go on.
    package var sessions: [SessionID: Login] = [:]
    /// Those that were pushed, unless they go on.
    package var pushed: [SessionID: PushedOutcome] = [:]
    /// Who has taken those that a phone may still decide.
    package var takers: [SessionID: SessionTaker] = [:]
    package var appSessions: [[UInt8]: AppSession] = [:]
}

/// Everything that the store knows: a value, so that a transaction that fails is simply not put back.
struct MemoryOAuthState: Sendable {
    struct Key<Name: Hashable & Sendable>: Hashable, Sendable {
        let server: ServerID
        let name: Name
    }

    /// Of these there is one consent at a server.
    struct ConsentName: Hashable, Sendable {
        let account: AccountID
        let client: ClientID
        let api: APIIdentifier?

        init(account: AccountID, client: ClientID, api: APIIdentifier?) {
            self.account = account
            self.client = client
            self.api = api
        }

        init(of consent: Consent) { self.init(account: consent.account, client: consent.client, api: consent.api) }
    }

    struct TryName: Hashable, Sendable {
        let kind: TriedKind
        let from: TriedFrom
    }

    struct Spent: Sendable {
        let by: RedemptionID
        let until: Instant
    }

    var people = MemoryPeople()
    var applications: [Key<ClientID>: Application] = [:]
    var apis: [Key<APIIdentifier>: ProtectedAPI] = [:]
    var roles: [Key<String>: Role] = [:]
    var users: [Key<String>: ProviderUser] = [:]
    var registrationPolicies: [ServerID: RegistrationPolicy] = [:]
    var initialTokens: [Key<[UInt8]>: InitialAccessToken] = [:]
    /// Applications that registered themselves.
    var registered: Set<Key<ClientID>> = []
    var grants: [GrantID: Grant] = [:]
    var subjects: [AccountID: String] = [:]
    var consents: [Key<ConsentName>: Consent] = [:]
    var codes: [Key<[UInt8]>: AuthorizationCode] = [:]
    var families: [GrantID: RefreshFamily] = [:]
    var opaqueTokens: [Key<[UInt8]>: OpaqueToken] = [:]
    var revokedTokens: [Key<String>: Instant] = [:]
    var pushed: [Key<[UInt8]>: PushedRequest] = [:]
    var polled: [Key<[UInt8]>: PolledAuthorization] = [:]
    var spent: [[UInt8]: Spent] = [:]
    var tries: [TryName: RecentTries] = [:]
    var audit: [AuditEntry] = []
    var logouts: [LogoutKey: DeliveryState] = [:]
    /// Grants that an operator ended, and those of whose end their clients were told.
    var ended: Set<GrantID> = []
    var told: Set<GrantID> = []
    var pings: [[UInt8]: DeliveryState] = [:]

    struct LogoutKey: Hashable, Sendable {
        let session: SessionID
        let client: ClientID
    }

    enum DeliveryState: Sendable {
        case postponed(RetrySchedule)
        case settled
    }
}
