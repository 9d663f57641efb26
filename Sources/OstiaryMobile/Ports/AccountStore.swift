/// Why the account store did not do something.
public enum AccountStoreError: Error, Sendable, Hashable {
    /// It cannot be read or written, or the device is locked.
    case unavailable
}

/// Where the SDK keeps its document about accounts, or its history: atomic, durable, and safe when several processes share it. Neither holds a
/// secret that is worth anything without the key store and the servers.
public protocol AccountStore: Sendable {
    /// The document, nil when none was written yet.
    func read() throws(AccountStoreError) -> [UInt8]?

    /// Replaces the document by what `change` makes of it, with no other change in between; nil leaves it as it is. When this returns
    /// the new document survives a crash; when it throws, or at any crash, either the old or the new one is there whole.
    func update(_ change: ([UInt8]?) -> [UInt8]?) throws(AccountStoreError)
}
