import OstiaryProtocol

@testable import Authentication

/// Everything that a store knows at one moment, to be compared with another.
extension MemoryState: Equatable {
    public static func == (left: MemoryState, right: MemoryState) -> Bool {
        left.servers == right.servers && left.sessions == right.sessions && left.pointers == right.pointers && left.logos == right.logos
            && left.accounts == right.accounts && left.deleted == right.deleted && left.caches == right.caches && left.notices == right.notices
            && left.instances == right.instances && left.enrolments == right.enrolments && left.closes == right.closes && left.spent == right.spent
            && left.audit == right.audit && left.offlineTries == right.offlineTries && left.offlineFailures == right.offlineFailures
    }
}

extension DomainFixture {
    func snapshot() async throws -> MemoryState {
        try await store.read { rows in try present((rows as? MemoryRows)?.state) }
    }

    func account(_ id: AccountID) async throws -> Account? { try await store.read { rows in try rows.account(id) } }
    func cache(of id: AccountID) async throws -> FactorCache? { try await store.read { rows in try rows.cache(of: id) } }
    func instance(_ id: InstanceID) async throws -> Instance? { try await store.read { rows in try rows.instance(id) } }
}
