import Database
import Foundation
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Testing

/// What both servers and some phones of an earlier program left, and what was seen of them while they ran. `scripts/fixture-database` makes it.
struct HeldFixture: Sendable {
    /// All that there are, one for each schema.
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasPrefix("schema-") }.sorted()

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Fixtures").standardizedFileURL

    let seen: JSONLine
    private let archive: String

    init(_ name: String) throws {
        let place = Self.folder.appendingPathComponent(name)
        archive = place.appendingPathComponent("files.tar.gz").path
        seen = try JSONLine(try String(contentsOf: place.appendingPathComponent("seen.json"), encoding: .utf8))
    }

    /// The files in a folder of the test's own, with the clock where it stood when the servers had stopped: nothing that lives for a time is over.
    func site() async throws -> ServersSite {
        let folder = try TemporaryFolder()
        let tar = try Program(["-xzf", archive, "--no-same-owner", "-C", folder.url.path], executable: "/usr/bin/tar")
        let code = try await tar.end()
        try #require(code == 0, "\(tar.complaints)")
        let moment = try #require(seen["clock"]?.int)
        return ServersSite(
            in: folder, authenticationKey: try KeyEncryptionKey.load(from: folder.file("as.kek-of-a-test")),
            secondFactorKey: try KeyEncryptionKey.load(from: folder.file("sf.kek-of-a-test")), publicURL: try text("origin"),
            clock: .shared(at: Instant(UInt64(moment))), penalties: [0, 0, 0, 0],
            stretching: .argon2id)
    }

    /// A text of what was seen.
    func text(_ path: String...) throws -> String {
        let found = path.reduce(Optional(seen)) { facts, name in facts?[name] }
        return try #require(found?.string, "\(path) is not in seen.json")
    }

    /// What was seen of each thing of a kind, by name.
    func all(_ kind: String) throws -> [(name: String, facts: JSONLine)] {
        let members = try #require(seen[kind]?.members)
        return members.map { (name: $0.key, facts: $0.value) }
    }

    /// What a backend calls an account.
    func account(_ name: String) throws -> String { try text("accounts", name, "id") }

    /// Wrong for every phone.
    func wrongPINs() throws -> [String] { try #require(seen["pins"]?["wrong"]?.array).compactMap(\.string) }
}

extension JSONLine {
    var members: [String: JSONLine]? { if case .object(let members) = self { members } else { nil } }
}
