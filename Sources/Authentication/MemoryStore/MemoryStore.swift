import OstiaryProtocol
import Synchronization

/// The store in memory, for tests of the rules: the same promises as a database for as long as the process lives.
package final class MemoryStore: AuthenticationStore {
    private let state = Mutex(MemoryState())

    package init() {}

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        try body(MemoryRows(state.withLock { $0 }))
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            let rows = MemoryRows(state)
            let value = try body(rows, nil)
            state = rows.state
            return value
        }
    }
}

/// Everything that the store knows: a value, so that a transaction that fails is simply not put back.
struct MemoryState: Sendable {
    struct ServiceKey: Hashable {
        let kind: ServiceKind
        let server: ServerID
    }

    struct NonceKey: Hashable {
        let server: ServerID
        let hash: [UInt8]
    }

    var servers: [VirtualServer] = []
    var sessions: [SessionID: Session] = [:]
    var pointers: [NonceKey: NoncePointer] = [:]
    var logos: [SessionLogo] = []
    var accounts: [AccountID: Account] = [:]
    var deleted: [AccountID: DeletedAccount] = [:]
    var caches: [AccountID: FactorCache] = [:]
    var notices: [StoredNotice] = []
    var instances: [InstanceID: Instance] = [:]
    /// Oldest first.
    var enrolments: [Enrolment] = []
    var closes: [InstanceID: PendingClose] = [:]
    var leaves: [[UInt8]: PendingLeave] = [:]
    var spent: [[UInt8]: Instant] = [:]
    var audit: [AuditEntry] = []
    var offlineTries: [OfflineTries] = []
    var offlineFailures: [ServerID: OfflineFailures] = [:]
    var services: [ServiceKey: ServiceBehind] = [:]
}

struct SessionLogo: Equatable, Sendable {
    let session: SessionID
    let logo: ServerLogo
}

/// The rows of one transaction in memory.
final class MemoryRows: AuthenticationRows {
    var state: MemoryState

    init(_ state: MemoryState) { self.state = state }

    func spend(_ key: [UInt8], until: Instant) throws -> Bool {
        guard state.spent[key] == nil else { return false }
        state.spent[key] = until
        return true
    }

    func service(_ kind: ServiceKind, of server: ServerID) throws -> ServiceBehind? {
        state.services[MemoryState.ServiceKey(kind: kind, server: server)]
    }

    func save(_ service: ServiceBehind) throws { state.services[MemoryState.ServiceKey(kind: service.kind, server: service.server)] = service }

    func removeService(_ kind: ServiceKind, of server: ServerID) throws {
        state.services[MemoryState.ServiceKey(kind: kind, server: server)] = nil
    }

    func record(_ entry: AuditEntry) throws { state.audit.append(entry) }

    func auditEntries(of server: ServerID, limit: Int) throws -> [AuditEntry] {
        Array(state.audit.reversed().filter { $0.server == server }.prefix(limit))
    }

    func removeAudit(before moment: Instant, limit: Int) throws -> Int {
        let oldest = state.audit.prefix(limit)
        let kept = oldest.filter { $0.at >= moment }
        state.audit.replaceSubrange(oldest.indices, with: kept)
        return oldest.count - kept.count
    }

    func queue(_ close: PendingClose) throws { state.closes[close.instance] = close }

    func dueCloses(at now: Instant, limit: Int) throws -> [PendingClose] {
        Array(state.closes.values.filter { $0.retry.dueAt <= now }.sorted { $0.retry.dueAt < $1.retry.dueAt }.prefix(limit))
    }

    func removeClose(of instance: InstanceID) throws { state.closes[instance] = nil }
    func oldestClose() throws -> Instant? { state.closes.values.map(\.retry.since).min() }

    func queue(_ leave: PendingLeave) throws { state.leaves[leave.deviceKey] = leave }

    func dueLeaves(at now: Instant, limit: Int) throws -> [PendingLeave] {
        Array(state.leaves.values.filter { $0.retry.dueAt <= now }.sorted { $0.retry.dueAt < $1.retry.dueAt }.prefix(limit))
    }

    func removeLeave(of deviceKey: [UInt8]) throws { state.leaves[deviceKey] = nil }
    func isLeaving(_ deviceKey: [UInt8]) throws -> Bool { state.leaves[deviceKey] != nil }
    func oldestLeave() throws -> Instant? { state.leaves.values.map(\.retry.since).min() }

    func instance(_ id: InstanceID) throws -> Instance? { state.instances[id] }
    func save(_ instance: Instance) throws { state.instances[instance.id] = instance }
    func removeInstance(_ id: InstanceID) throws { state.instances[id] = nil }

    func removeDeleted(before moment: Instant, limit: Int) throws -> Int {
        let gone = state.deleted.values.filter { $0.since < moment }.sorted { $0.since < $1.since }.prefix(limit)
        for account in gone { state.deleted[account.id] = nil }
        return gone.count
    }

    func removeExpired(at now: Instant, limit: Int) throws -> Int {
        let spent = state.spent.filter { now > $0.value }.prefix(limit)
        for request in spent { state.spent[request.key] = nil }
        let old = state.sessions.values.filter { $0.isForgotten(at: now) }.prefix(limit).map(\.id)
        for id in old { state.sessions[id] = nil }
        let kept = state.sessions
        state.pointers = state.pointers.filter { kept[$0.value.session] != nil }
        state.logos.removeAll { kept[$0.session] == nil }
        let caches = state.caches.values.filter { now > $0.expiresAt }.prefix(limit).map(\.account)
        for account in caches { state.caches[account] = nil }
        let enrolments = state.enrolments.filter { now > $0.expiresAt + Retention.enrolment }.prefix(limit).map(\.id)
        state.enrolments.removeAll { enrolments.contains($0.id) }
        let tries = state.offlineTries.filter { now > $0.lastMoment }.prefix(limit)
        state.offlineTries.removeAll { tries.contains($0) }
        return [spent.count, old.count, caches.count, enrolments.count, tries.count].max() ?? 0
    }
}
