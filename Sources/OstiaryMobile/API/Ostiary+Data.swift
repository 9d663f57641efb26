import Foundation

/// Data of the service behind the server, for this device.
extension Ostiary {
    /// Asks the Data Service behind the server, and gives its answer as it is (docs/data-service.md).
    ///
    /// The server vouches for the device and for nothing more: nobody is asked for a second factor, and nobody has to be logged in. It implies no person:
    /// an app may ask in the background. Cancelling the task gives the call up; what it asked for may have been done.
    ///
    /// A try whose answer is lost is made again, under the name of the call, for as long as ``Configuration/connectionPatience`` says, and a service does
    /// once what it is asked by one name. An app that has to know that a write was done once, also where it is killed meanwhile, keeps `call` with the write
    /// and asks with both again within ten minutes; another `payload` is another call, whatever its name.
    /// - Parameters:
    ///   - payload: at most 65,000 bytes of any kind. Nobody between the app and the service reads them but the authentication server, which passes them on.
    ///   - account: whose device asks; nil for the only account there is.
    ///   - call: one for each call; the same for a call that is made again.
    /// - Returns: at most 65,000 bytes of any kind, also none.
    /// - Throws: `notOffered` where the server has no such service; `serviceUnavailable`, `serviceRefused` and `serviceAnswer`, which are the service's;
    ///   `tooMany` for more than sixty calls in a minute; `dataTooLong`; `accountBlocked`, `accountPending`, `accountDeleted`; `noAccountsForServer` and
    ///   `severalAccounts` where none is named; `cancelled`; and what keeps the server from being reached.
    public func getData(_ payload: [UInt8], for account: Account? = nil, call: UUID = UUID()) async throws(OstiaryError) -> [UInt8] {
        try await core(for: .system).engine.data(payload, for: account?.id, call)
    }
}
