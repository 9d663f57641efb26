import Foundation
import OstiaryProtocol

/// Changing the second factor itself: a flow like a login, without a session (S4-85, S4-87).
extension Engine {
    /// Begins; throws when it cannot even begin. The task's value is why it failed, nil when it did not.
    @discardableResult
    func begin(_ operation: SecondFactorOperation, for account: Account.ID?) throws(OstiaryError) -> Task<OstiaryError?, Never> {
        guard flow == nil else { throw .flowInProgress }
        try reread()
        let factor = try managed(by: account)
        try check(operation, factor)
        let id = UUID()
        flow = Flow(session: id)
        let work = Task { await self.run(operation, factor, id) }
        flow?.task = Task {
            await withTaskCancellationHandler {
                _ = await work.value
            } onCancel: {
                work.cancel()
            }
        }
        return work
    }

    /// The account that was named, or the only server's.
    private func managed(by id: Account.ID?) throws(OstiaryError) -> ManagedFactor {
        let active = try known().accounts.filter { $0.state == .active }
        guard let id else {
            guard let first = active.first else { throw try known().shownAccounts.isEmpty ? .noAccountsForServer : .accountPending }
            guard active.allSatisfy({ $0.rootHash == first.rootHash }) else { throw .severalAccounts }
            guard let voucher = try known().voucher(at: first.rootHash.bytes) else { throw .noSecondFactor }
            return ManagedFactor(account: voucher.account, instance: voucher.instance)
        }
        guard let account = try known().shownAccount(id) else { throw .accountUnknown }
        guard account.state == .active else { throw .accountPending }
        guard let instance = try known().instance(account.instance) else { throw .noSecondFactor }
        return ManagedFactor(account: account, instance: instance)
    }

    /// What can be refused before anybody is asked.
    private func check(_ operation: SecondFactorOperation, _ factor: ManagedFactor) throws(OstiaryError) {
        switch operation {
        case .addBiometrics:
            let conditions = conditions(for: .biometricsAdd, factor.instance, at: factor.account.rootHash.bytes)
            guard conditions.isStrong, conditions.isEnrolled, conditions.isAllowed else { throw .biometricsUnavailable }
        case .removeBiometrics: guard factor.instance.biometrics != nil else { throw .biometricsUnavailable }
        case .changePIN: break
        }
    }

    private func run(_ operation: SecondFactorOperation, _ factor: ManagedFactor, _ id: Session.ID) async -> OstiaryError? {
        let asking = ManagementQuestions()
        do throws(OstiaryError) {
            switch operation {
            case .addBiometrics: try await addBiometrics(factor, id, asking)
            case .removeBiometrics: try await removeBiometrics(factor, id, asking)
            case .changePIN: try await changePIN(factor, id, asking)
            }
            return finish(id, asking, nil)
        } catch {
            return finish(id, asking, error)
        }
    }

    /// Over before anybody hears of it: whoever does may begin the next flow at once.
    private func finish(_ id: Session.ID, _ asking: ManagementQuestions, _ cause: OstiaryError?) -> OstiaryError? {
        var error = cause
        if let flow, flow.session == id {
            if case .inputTimeout? = flow.abort, cause == .cancelled { error = .userInputTimeout }
            self.flow = nil
        }
        if let question = asking.last { emit(.secondFactorUpdated(stopped(question, by: error))) }
        if let error, error != .cancelled { emit(.error(error, session: nil)) }
        return error
    }
}

extension StoredState {
    /// An account that an app may name.
    fileprivate func shownAccount(_ id: Account.ID) -> StoredAccount? {
        id.accountID.flatMap { account($0) }.flatMap { $0.state == .enrolling ? nil : $0 }
    }
}
