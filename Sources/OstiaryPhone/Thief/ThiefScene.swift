import Foundation
import OstiaryMobile
import OstiaryProtocol
import Synchronization

/// What one move may touch: the demonstration's servers, a victim, and a folder for the loot.
final class ThiefScene: Sendable {
    let servers: DemoServers
    let backend: DemoBackend
    let witness: Witness
    /// For this move alone; it goes with it.
    let folder: URL
    private let lines = Mutex<[String]>([])

    init(_ servers: DemoServers, _ backend: DemoBackend, _ witness: Witness, folder: URL) throws {
        self.servers = servers
        self.backend = backend
        self.witness = witness
        self.folder = folder
        try Self.make(folder)
    }

    /// A folder that nobody else reads.
    private static func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// What was seen, in order.
    var seen: [String] { lines.withLock(\.self) }

    func saw(_ line: String) { lines.withLock { $0.append(line) } }

    func clear() { try? FileManager.default.removeItem(at: folder) }

    /// - Throws: ``AttackSucceeded`` unless it holds.
    func hold(_ holds: Bool, or what: String) throws {
        guard holds else { throw AttackSucceeded(what: what) }
    }

    /// - Throws: ``AttackSucceeded`` when somebody is logged in by this nonce.
    func holdNobodyIn(_ nonce: String, or what: String) async throws {
        try hold(try await !backend.session(nonce).loggedin, or: what)
    }

    // MARK: The victim and her phone

    private var home: URL { folder.appendingPathComponent("nora", isDirectory: true) }

    /// Nora with a new phone, not enrolled yet. Each is another user, so that moves leave nothing to each other.
    func victim(pin: [UInt8] = ScriptedPerson.rightPIN) throws -> ScriptedPerson {
        try Self.make(home)
        return try ScriptedPerson(backend, home: home, user: "nora-\(ManagementClient.newNonce().prefix(6))", name: "Nora", pin: pin)
    }

    /// A phone made of a copy of all files of hers.
    func copyOfHerPhone(of victim: ScriptedPerson) throws -> ScriptedPerson {
        let copy = folder.appendingPathComponent("copy", isDirectory: true)
        try FileManager.default.copyItem(at: home, to: copy)
        let files = try FileManager.default.subpathsOfDirectory(atPath: copy.path)
        saw("All \(files.count) files of her phone are copied, its device key and the PIN box among them.")
        return try ScriptedPerson(backend, home: copy, user: victim.user, name: victim.name)
    }

    /// A phone of the thief's own.
    func thiefsPhone() throws -> ScriptedPerson {
        let home = folder.appendingPathComponent("thief", isDirectory: true)
        try Self.make(home)
        return try ScriptedPerson(backend, home: home, user: "thief", name: "Thief")
    }

    // MARK: The wire

    /// Posts bytes as a phone posts its requests.
    func post(_ bytes: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        try await send("POST", "/ap1", [(name: "Content-Type", value: "application/octet-stream")], body: bytes)
    }

    /// What a server says of itself, to anybody.
    func bundle(of link: EnrolLink) async throws -> OstiaryProtocol.Bundle {
        let answer = try await send("GET", "/ap1/bundle/\(Base64URL.encode(link.rootHash))")
        guard answer.status == 200 else { throw DemoError.unexpectedAnswer(call: "GET /ap1/bundle", status: answer.status) }
        return try OstiaryProtocol.Bundle(decoding: answer.body)
    }

    private func send(
        _ method: String, _ path: String, _ fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) async throws -> (status: Int, body: [UInt8]) {
        let answer = try await DemoCalls.send(method, servers.layout.publicURL + path, fields, body: body, limit: .seconds(15))
        return (answer.status, answer.body)
    }
}
