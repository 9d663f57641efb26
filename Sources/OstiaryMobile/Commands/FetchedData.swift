import Foundation
import OstiaryProtocol

/// The data of `getData(_:for:call:)`: what the Data Service behind the server answered to this device, byte for byte (protocol §10).
extension Engine {
    /// - Parameter call: names the call in each of its tries, so that the service does once what it is asked.
    func data(_ payload: [UInt8], for id: Account.ID?, _ call: UUID) async throws(OstiaryError) -> [UInt8] {
        if stored == nil { try reread() }
        let account = try asking(id)
        let bytes = withUnsafeBytes(of: call.uuid) { Array($0) }
        guard let callID = CallID(bytes), let message = GetData(accountID: account.id, callID: callID, payload: payload) else { throw .dataTooLong }
        // A try of before may still be under way at the server, which then says that it is busy.
        var line = ServerLine(of: account, waitsOutBusy: true)
        line.isQuiet = true
        let reply = try await line.ask(
            message, for: ServiceData.self, while: { () throws(OstiaryError) in try checkWaited(for: account.id) }, by: self)
        try checkWaited(for: account.id)
        return reply.value.data
    }

    /// What comes when the account is gone is nobody's.
    private func checkWaited(for account: AccountID) throws(OstiaryError) {
        try checkNotAborted()
        guard stored?.account(account) != nil else { throw .accountUnknown }
    }

    /// The account that was named, or the only one.
    private func asking(_ id: Account.ID?) throws(OstiaryError) -> StoredAccount {
        let accounts = try known().accounts
        guard let id else {
            guard let only = accounts.first else { throw .noAccountsForServer }
            guard accounts.count == 1 else { throw .severalAccounts }
            return only
        }
        guard let account = id.accountID.flatMap({ id in accounts.first { $0.id == id } }) else { throw .accountUnknown }
        return account
    }
}
