import Authentication
import Database
import OstiaryProtocol

@testable import AuthServer

extension ServersFixture {
    /// Another virtual server in the same database, as the first one is: with a root key and that of its session ids.
    func makeServer() async throws -> Root {
        let (id, seed, now, key) = (ServerID(using: SystemRandomSource()), SystemRandomSource().bytes(32), now, key)
        let root = try RootKey(seed: seed, serverID: id).root
        let server = VirtualServer(id: id, publicKey: root.ed25519, createdAt: now, parameters: ServerParameters(name: "Second"))
        let secrets = [(KeyKind.root, seed), (.sid, SystemRandomSource().bytes(32))]
        let rows = try secrets.map { kind, secret in
            let name = KeyRow.ID(server: id, kind: kind.name, id: [])
            let times = kind.times(at: now)
            return KeyRow(
                key: name, wrapped: try key.wrap(secret, context: KeyStore.context(of: name)), certificate: nil, notBefore: times.from,
                notAfter: times.until)
        }
        try await SQLAuthenticationStore(database: database, key: key).write { try $0.save(server) }
        try await database.transaction { connection in
            let keys = SQLKeyRows(connection)
            for row in rows { try keys.save(row) }
        }
        return root
    }

    /// Somebody of a virtual server who has just logged in by PIN, as its rows have it: a phone of tests knows the first server alone.
    /// - Parameter reference: of the account's one-time codes; no other account of the server has it.
    func logIn(_ userID: String, by nonce: String, at server: ServerID, reference: UInt32) async throws {
        let (random, now, hash) = (SystemRandomSource(), now, try SessionNonce(nonce).hash)
        let account = Account(
            id: AccountID(using: random), server: server, userID: userID, displayName: userID, device: "Pixel", app: "Test 1.0",
            deviceKey: random.bytes(65), instance: nil, createdAt: now, otpReference: reference, otpKey: StoredSecret(random.bytes(32)),
            state: .active, activatedAt: now)
        let login = Login(
            account: account.id, binding: .qrDynamic, at: now, methods: .pin, verifiedAt: now, decision: random.bytes(32), deadline: now + 300,
            lastPing: now, lastStamp: now)
        let session = Session(
            id: SessionID(using: random), server: server, nonceHash: hash, stream: StreamID(using: random), purpose: .login, startedAt: now,
            state: .loggedIn(login))
        try await SQLAuthenticationStore(database: database, key: key).write { rows in
            try rows.save(account)
            try rows.save(session)
            try rows.save(NoncePointer(server: server, hash: hash, kind: .chosen, session: session.id, run: 0))
        }
    }
}
