import Crypto
import Database
import Foundation
import OstiaryProtocol

/// The physical parts of which a login is made, each on its own.
enum Parts {
    static func measureAll() async throws -> Table {
        var table = Table()
        try signatures(&table)
        try group(&table)
        try exchange(&table)
        try await storage(&table)
        return table
    }

    private static func signatures(_ table: inout Table) throws {
        let device = P256.Signing.PrivateKey()
        let bytes = SystemRandomSource().bytes(64)
        let signature = Array(try device.signature(for: signatureInput(.devLogin, bytes)).rawRepresentation)
        let key = try DevicePublicKey(Array(device.publicKey.x963Representation))
        table.add("P-256 sign", try measure(2_000) { _ = try device.signature(for: signatureInput(.devLogin, bytes)) })
        table.add("P-256 verify", try measure(2_000) { try key.verify(signature, .devLogin, bytes) })
        let op = try OperatorKey(seed: SystemRandomSource().bytes(32))
        let edwards = try EdwardsPublicKey(op.publicKey)
        let signed = op.sign(.ans, bytes)
        table.add("Ed25519 sign", measure(2_000) { _ = op.sign(.ans, bytes) })
        table.add("Ed25519 verify", try measure(2_000) { try edwards.verify(signed.ed25519, .ans, bytes) })
        let agreement = Curve25519.KeyAgreement.PrivateKey()
        let other = Curve25519.KeyAgreement.PrivateKey().publicKey
        table.add("X25519", try measure(2_000) { _ = try agreement.sharedSecretFromKeyAgreement(with: other) })
        table.add("X25519 key pair", measure(2_000) { _ = Curve25519.KeyAgreement.PrivateKey() })
    }

    private static func group(_ table: inout Table) throws {
        let scalar = try GroupScalar.random()
        let element = try GroupElement.generator(times: scalar)
        let key = try OPRFKey.generate()
        table.add("ristretto255 base multiplication", try measure(2_000) { _ = try GroupElement.generator(times: scalar) })
        table.add("ristretto255 multiplication", try measure(2_000) { _ = try element.multiplied(by: scalar) })
        let attempt = AttemptID(using: SystemRandomSource())
        table.add("VOPRF evaluate with proof", try measure(1_000) { _ = try key.evaluate(element.bytes, attempt: attempt) })
    }

    private static func exchange(_ table: inout Table) throws {
        let random = SystemRandomSource()
        let op = try OperatorKey(seed: random.bytes(32))
        let root = try RootKey(seed: random.bytes(32), serverID: ServerID(using: random))
        let now = Instant(1_800_000_000)
        let secret = try PrekeySecret(id: 1, secret: random.bytes(32))
        let prekey = secret.published(until: now + 60, signedBy: op).value
        let keys = try OperatorKeys.verify(
            ServerChain(root: root.root, certificates: [root.certify(op, from: now, until: now + 60)]), rootHash: root.root.hash)
        let message = random.bytes(300)
        func request() throws -> SealedRequest {
            try SealedRequest(message, to: prekey, of: root.root, ephemeral: EphemeralKey(using: random), at: now)
        }
        let sealed = try request()
        let opened = try OpenedRequest(sealed.bytes, with: secret)
        let answer = try opened.answer(.ok, body: message, at: now, signedBy: op)
        table.add("AP1 phone seals a request", try measure(1_000) { _ = try request() })
        table.add("AP1 server opens a request", try measure(1_000) { _ = try OpenedRequest(sealed.bytes, with: secret) })
        table.add("AP1 server signs and seals an answer", try measure(1_000) { _ = try opened.answer(.ok, body: message, at: now, signedBy: op) })
        table.add("AP1 phone opens and verifies an answer", try measure(1_000) { _ = try sealed.open(answer, from: keys, clock: now) })
    }

    private static func storage(_ table: inout Table) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-bench-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase.open(path: folder.appendingPathComponent("bench.sqlite").path)
        try await database.migrate([
            Migration(1, "rows") { ["CREATE TABLE point (id \($0.integer) NOT NULL PRIMARY KEY, text TEXT NOT NULL) \($0.tableOptions)"] }
        ])
        let meter = ProcessMeter(process: getpid())
        let before = meter.now()
        for id in 0..<200 { try await insert(id, into: database) }
        table.add("one durable row, alone", (meter.now() - before).each(of: 200), "processor time only; the disk decides the rest")
        let grouped = meter.now()
        await withTaskGroup(of: Void.self) { group in
            for id in 1_000..<5_096 { group.addTask { try? await insert(id, into: database) } }
        }
        table.add("one durable row, among many callers", (meter.now() - grouped).each(of: 4_096), "commits are shared")
        let reading = meter.now()
        for id in 0..<5_000 {
            _ = try await database.read { try $0.one("SELECT text FROM point WHERE id = $1", [.integer(Int64(id % 200))]) }
        }
        table.add("one point read", (meter.now() - reading).each(of: 5_000))
        try await database.close()
    }

    private static func insert(_ id: Int, into database: SQLiteDatabase) async throws {
        try await database.transaction { try $0.execute("INSERT INTO point (id, text) VALUES ($1, $2)", [.integer(Int64(id)), .text("x")]) }
    }
}
