import OstiaryProtocol

/// What is known of offline codes, inside a transaction.
package protocol OfflineRows: AnyObject {
    /// The account of a virtual server that a reference names; nil when it names nobody.
    func account(otpReference: UInt32, at server: ServerID) throws -> Account?
    /// Nil where nobody has tried one lately, and the reference is not reserved.
    func offlineTries(of reference: UInt32, at server: ServerID) throws -> OfflineTries?
    /// Adds them or puts them in the place of their former self.
    func save(_ tries: OfflineTries) throws
    /// Nil where no code was wrong yet.
    func offlineFailures(at server: ServerID) throws -> OfflineFailures?
    /// Adds them or puts them in the place of their former self.
    func save(_ failures: OfflineFailures) throws
}
