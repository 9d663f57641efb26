import Database
import OstiaryProtocol

/// Makes this server's own keys, renews and erases them. In the store each is wrapped for its place.
struct IdentityRenewal: Sendable {
    let store: any IdentityStore
    let keyEncryptionKey: KeyEncryptionKey
    let rootSeed: SecretBytes?
    let random: any RandomSource

    /// Makes what is missing or near its end, erases what is over, and answers what there is, all in one transaction. Looking is no commit: where
    /// nothing is due, nothing is written.
    /// - Parameter known: what this program has run with. Where it is gone the rows were taken from beneath it, by a restore perhaps, and another would be
    ///   that of nobody's phone: none is made then.
    /// - Throws: ``IdentityError``, `SQLError`.
    func renewed(after known: Root? = nil, at now: Instant) async throws -> OwnIdentity {
        let kept = try await store.read { rows in
            try Self.check(rows, have: known)
            return try current(in: rows, at: now)
        }
        if let kept { return kept }
        let fresh = FreshKeys(using: random)
        return try await store.write { rows in
            try Self.check(rows, have: known)
            try rows.eraseExpiredKeys(at: now)
            let root = try root(in: rows, or: fresh)
            try ensureOperatorKey(root, in: rows, or: fresh, at: now)
            try ensurePrekey(in: rows, or: fresh, at: now)
            return try identity(root.root, isApart: rootSeed == nil && root.wrappedSeed == nil, in: rows, at: now)
        }
    }

    /// The root's public half, made with the other keys if there is none. It can be told also when the operational key is over and the root key that
    /// certifies the next is not here.
    /// - Throws: ``IdentityError``, `SQLError`.
    func ownRoot(at now: Instant) async throws -> Root {
        do { return try await renewed(at: now).root } catch IdentityError.rootKeyNeeded {
            guard let row = try await store.read({ rows in try rows.root() }) else { throw IdentityError.rootKeyNeeded }
            return row.root
        }
    }

    /// What there is, if nothing of it has to be made, shortened or erased.
    private func current(in rows: any IdentityRows, at now: Instant) throws -> OwnIdentity? {
        let (keys, prekeys) = (try rows.operatorKeys(), try rows.prekeys())
        guard let root = try rows.root(), keys.allSatisfy({ $0.wrappedSeed == nil || now <= $0.certificate.notAfter }),
            let newest = keys.first(where: { $0.maySign(at: now) }), now + KeyLifetimes.operatorOverlap < newest.certificate.notAfter,
            prekeys.allSatisfy({ $0.isInPlace(at: now) }), let prekey = prekeys.first, now + KeyLifetimes.prekeyOverlap < prekey.notAfter
        else { return nil }
        if let rootSeed { try checkRootKey(rootSeed, is: root.root) }
        return try identity(root.root, isApart: rootSeed == nil && root.wrappedSeed == nil, in: rows, at: now)
    }

    private func root(in rows: any IdentityRows, or fresh: FreshKeys) throws -> RootRow {
        if let row = try rows.root() {
            if let rootSeed { try checkRootKey(rootSeed, is: row.root) }
            return row
        }
        let seed = rootSeed?.exposed ?? fresh.rootSeed
        let root = try RootKey(seed: seed, serverID: fresh.serverID).root
        let wrapped = rootSeed == nil ? try keyEncryptionKey.wrap(seed, context: "sfs/root", salt: fresh.salt) : nil
        let row = RootRow(root: root, wrappedSeed: wrapped)
        try rows.add(row)
        return row
    }

    private static func check(_ rows: any IdentityRows, have known: Root?) throws {
        guard let known else { return }
        guard try rows.root()?.root == known else { throw IdentityError.rootGone }
    }

    private func checkRootKey(_ seed: SecretBytes, is root: Root) throws {
        guard try RootKey(seed: seed.exposed, serverID: root.serverID).root == root else { throw IdentityError.otherRootKey }
    }

    private func rootKey(_ row: RootRow) throws -> RootKey? {
        if let rootSeed { return try RootKey(seed: rootSeed.exposed, serverID: row.root.serverID) }
        guard let wrapped = row.wrappedSeed else { return nil }
        return try RootKey(seed: try unwrap(wrapped, "sfs/root"), serverID: row.root.serverID)
    }

    /// A new operational key when the newest is near its end; without the root key the old one serves until it is over.
    private func ensureOperatorKey(_ root: RootRow, in rows: any IdentityRows, or fresh: FreshKeys, at now: Instant) throws {
        let newest = try rows.operatorKeys().first { $0.maySign(at: now) }
        if let newest, now + KeyLifetimes.operatorOverlap < newest.certificate.notAfter { return }
        guard let rootKey = try rootKey(root) else {
            guard newest != nil else { throw IdentityError.rootKeyNeeded }
            return
        }
        let key = try OperatorKey(seed: fresh.operatorSeed)
        let certificate = rootKey.certify(key, from: now - KeyLifetimes.clockSlack, until: now + KeyLifetimes.operatorKey)
        let wrapped = try keyEncryptionKey.wrap(key.seed, context: Self.context(of: certificate), salt: fresh.salt)
        try rows.add(OperatorKeyRow(certificate: certificate, wrappedSeed: wrapped))
    }

    /// A prekey that a clock made that ran ahead is opened for as long as one of now, and then erased like it.
    private func ensurePrekey(in rows: any IdentityRows, or fresh: FreshKeys, at now: Instant) throws {
        try rows.cutPrekeys(publishedUntil: now + KeyLifetimes.prekeyValidity, openedUntil: now + KeyLifetimes.prekeyErasure)
        if let newest = try rows.prekeys().first, now + KeyLifetimes.prekeyOverlap < newest.notAfter { return }
        let id = fresh.prekeyID
        let wrapped = try keyEncryptionKey.wrap(fresh.prekeySecret, context: Self.context(ofPrekey: id), salt: fresh.salt)
        try rows.add(
            PrekeyRow(
                id: id, wrappedSecret: wrapped, notAfter: now + KeyLifetimes.prekeyValidity, eraseAt: now + KeyLifetimes.prekeyErasure))
    }

    /// - Parameter isApart: whether the root key is kept elsewhere and was not given.
    private func identity(_ root: Root, isApart: Bool, in rows: any IdentityRows, at now: Instant) throws -> OwnIdentity {
        let operatorRows = try rows.operatorKeys()
        let usable = operatorRows.filter { $0.maySign(at: now) }
        let signing = OperatorCertificate.signing(of: usable.map(\.certificate), at: now)
        guard let newest = usable.first, let signer = usable.first(where: { $0.certificate == signing }), let wrapped = signer.wrappedSeed else {
            throw IdentityError.rootKeyNeeded
        }
        let operatorKey = try OperatorKey(seed: try unwrap(wrapped, Self.context(of: signer.certificate)))
        let prekeys = try rows.prekeys().map { ($0, try secret(of: $0)) }
        let valid = prekeys.filter { now <= $0.0.notAfter }.map { $0.1.published(until: $0.0.notAfter, signedBy: operatorKey) }
        let chain = ServerChain(root: root, certificates: operatorRows.map(\.certificate).filter { now <= $0.notAfter })
        let all = ServerChain(root: root, certificates: operatorRows.map(\.certificate))
        return OwnIdentity(
            root: root, operatorKey: operatorKey, receiptKeys: try Self.verified(all),
            published: SecondFactorIdentity(chain: chain, prekeys: valid).encoded,
            madeAt: now, renewAt: Self.renewal(newest.certificate, prekeys.map(\.0), after: now),
            endsWithoutRoot: isApart ? newest.certificate.notAfter : nil, prekeys: prekeys.map(\.1))
    }

    private static func verified(_ chain: ServerChain) throws(IdentityError) -> OperatorKeys {
        do { return try OperatorKeys.verify(chain, rootHash: chain.root.hash) } catch { throw .keysOfAnotherRoot }
    }

    /// The next moment at which a key is near its end, expires or is to be erased; a minute from now at the latest, so that after a clock was put right
    /// the key signs that phones have in their bundles.
    private static func renewal(_ certificate: OperatorCertificate, _ prekeys: [PrekeyRow], after now: Instant) -> Instant {
        var moments = [certificate.notAfter - KeyLifetimes.operatorOverlap]
        moments += prekeys.flatMap { [$0.notAfter - KeyLifetimes.prekeyOverlap, $0.notAfter, $0.eraseAt] }
        return moments.filter { now < $0 }.reduce(now + 60, min)
    }

    private func secret(of row: PrekeyRow) throws -> PrekeySecret {
        try PrekeySecret(id: row.id, secret: try unwrap(row.wrappedSecret, Self.context(ofPrekey: row.id)))
    }

    private func unwrap(_ wrapped: [UInt8], _ context: String) throws(IdentityError) -> [UInt8] {
        do { return try keyEncryptionKey.unwrap(wrapped, context: context) } catch { throw .unreadableKey }
    }

    private static func context(of certificate: OperatorCertificate) -> String { "sfs/op/\(Base64URL.encode(certificate.id))" }
    private static func context(ofPrekey id: UInt32) -> String { "sfs/prekey/\(id)" }
}

/// What new keys are made of, drawn before the transaction that needs some of it.
private struct FreshKeys: Sendable {
    let rootSeed: [UInt8]
    let serverID: ServerID
    let operatorSeed: [UInt8]
    let prekeyID: UInt32
    let prekeySecret: [UInt8]
    let salt = WrapSalt()

    init(using random: any RandomSource) {
        rootSeed = random.bytes(32)
        serverID = ServerID(using: random)
        operatorSeed = random.bytes(32)
        prekeyID = random.u32()
        prekeySecret = random.bytes(32)
    }
}
