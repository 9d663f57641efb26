import OstiaryProtocol

extension MemoryRows {
    func account(_ id: AccountID) throws -> Account? { state.accounts[id] }

    func accounts(ofUser userID: String, at server: ServerID) throws -> [Account] {
        oldestFirst { $0.userID == userID && $0.server == server }
    }

    func accounts(ofInstance instance: InstanceID) throws -> [Account] { oldestFirst { $0.instance == instance } }

    private func oldestFirst(_ isWanted: (Account) -> Bool) -> [Account] {
        state.accounts.values.filter(isWanted).sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
    }

    func save(_ account: Account) throws { state.accounts[account.id] = account }

    func markDeleted(_ account: AccountID, of server: ServerID, at now: Instant) throws {
        state.accounts[account] = nil
        state.caches[account] = nil
        state.notices.removeAll { $0.account == account }
        state.deleted[account] = DeletedAccount(id: account, server: server, since: now)
    }

    func deletedAccount(_ id: AccountID) throws -> DeletedAccount? { state.deleted[id] }

    func isTaken(otpReference: UInt32, at server: ServerID) throws -> Bool {
        try account(otpReference: otpReference, at: server) != nil || offlineTries(of: otpReference, at: server)?.reservedUntil != nil
    }

    func account(otpReference: UInt32, at server: ServerID) throws -> Account? {
        state.accounts.values.first { $0.server == server && $0.otpReference == otpReference }
    }

    func offlineTries(of reference: UInt32, at server: ServerID) throws -> OfflineTries? {
        state.offlineTries.first { $0.reference == reference && $0.server == server }
    }

    func save(_ tries: OfflineTries) throws {
        state.offlineTries.removeAll { $0.reference == tries.reference && $0.server == tries.server }
        state.offlineTries.append(tries)
    }

    func offlineFailures(at server: ServerID) throws -> OfflineFailures? { state.offlineFailures[server] }
    func save(_ failures: OfflineFailures) throws { state.offlineFailures[failures.server] = failures }

    /// The provider's store in memory is another.
    func endLastingGrants(of account: AccountID, at now: Instant) throws {}

    func cache(of account: AccountID) throws -> FactorCache? { state.caches[account] }
    func save(_ cache: FactorCache) throws { state.caches[cache.account] = cache }
    func removeCache(of account: AccountID) throws { state.caches[account] = nil }

    func add(_ notice: StoredNotice) throws { state.notices.append(notice) }

    func keepNewestNotices(_ count: Int, of subject: DeviceNotice.Subject, for account: AccountID) throws {
        let kept = state.notices.filter { $0.account == account && $0.notice.subject == subject }.suffix(count)
        state.notices.removeAll { $0.account == account && $0.notice.subject == subject && !kept.contains($0) }
    }

    func notices(for account: AccountID) throws -> [DeviceNotice] { state.notices.filter { $0.account == account }.map(\.notice) }

    func removeNotices(_ ids: [NoticeID], for account: AccountID) throws {
        state.notices.removeAll { $0.account == account && ids.contains($0.notice.id) }
    }

    func enrolment(_ id: EnrolmentID) throws -> Enrolment? { state.enrolments.first { $0.id == id } }

    func enrolment(nonceHash: [UInt8], of server: ServerID) throws -> Enrolment? {
        state.enrolments.last { $0.nonceHash == nonceHash && $0.server == server }
    }

    func enrolment(ephemeral: [UInt8]) throws -> Enrolment? { state.enrolments.last { $0.claim?.ephemeral == ephemeral } }
    func enrolment(account: AccountID) throws -> Enrolment? { state.enrolments.last { $0.claim?.account == account } }

    func upgrades(of account: AccountID) throws -> [Enrolment] {
        state.enrolments.filter { enrolment in
            switch enrolment.state {
            case .open, .claimed, .confirming: enrolment.purpose.upgraded == account
            case .active, .failed: false
            }
        }
    }

    func save(_ enrolment: Enrolment) throws {
        if let index = state.enrolments.firstIndex(where: { $0.id == enrolment.id }) {
            state.enrolments[index] = enrolment
        } else {
            state.enrolments.append(enrolment)
        }
    }

    func overdueEnrolments(at now: Instant, limit: Int) throws -> [Enrolment] {
        Array(state.enrolments.filter { $0.settled(at: now) != $0 }.prefix(limit))
    }
}
