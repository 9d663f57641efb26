import OstiaryProtocol

/// The root: its public part, and the wrapped seed unless that is kept apart.
struct RootRow: Sendable {
    let root: Root
    let wrappedSeed: [UInt8]?
}

struct OperatorKeyRow: Sendable {
    let certificate: OperatorCertificate
    /// Nil once the certificate has expired.
    let wrappedSeed: [UInt8]?

    /// Whether it may sign: one that was certified by a clock that ran ahead is not valid yet.
    func maySign(at now: Instant) -> Bool { wrappedSeed != nil && certificate.isValid(at: now) }
}

struct PrekeyRow: Sendable {
    let id: UInt32
    let wrappedSecret: [UInt8]
    let notAfter: Instant
    let eraseAt: Instant
}

/// Where this server's own keys are kept; a body is as ``SecondFactorStore`` has it.
protocol IdentityStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any IdentityRows) throws -> Value) async throws -> Value
    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable @escaping (any IdentityRows) throws -> Value) async throws -> Value
}

/// This server's own keys, inside a transaction.
protocol IdentityRows: AnyObject {
    func root() throws -> RootRow?
    func add(_ root: RootRow) throws

    /// All of them, the newest first.
    func operatorKeys() throws -> [OperatorKeyRow]
    func add(_ key: OperatorKeyRow) throws

    /// The newest first.
    func prekeys() throws -> [PrekeyRow]
    func add(_ prekey: PrekeyRow) throws
    /// No prekey lives longer than one that is made now.
    func cutPrekeys(publishedUntil: Instant, openedUntil: Instant) throws

    /// Erases private keys that have had their time; certificates stay, to verify old receipts.
    func eraseExpiredKeys(at now: Instant) throws
}
