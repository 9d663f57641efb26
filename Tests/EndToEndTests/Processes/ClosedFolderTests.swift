import Foundation
import OstiaryTesting
import Testing

@Suite("A database in a folder that the server's user may not enter", .enabled(if: BoundStart.isPossible), .timeLimit(.minutes(5)))
struct ClosedFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func key(of command: String) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: folder.file("keys"), withIntermediateDirectories: true)
        return [command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE": folder.file("keys/it.kek")]
    }

    private func name(of command: String) -> String { "\(command == "serve" ? "ostiary" : "second-factor").sqlite" }

    @Test(
        "It may be there: a start tells which folder is closed and what opens it, and neither calls it lost nor has anything removed; opened, it goes on",
        arguments: ["serve", "second-factor"], [false, true])
    func told(_ command: String, isLink: Bool) async throws {
        let (data, closed) = (folder.file("data"), folder.file("closed"))
        let start = [command, "--data", data]
        // Beside the database, or apart from it: a link in the data folder leads to it then, and key and mark lie beside the link.
        let environment = isLink ? [:] : try key(of: command)
        let identity = try await ProcessesFixture.identity(start, environment: environment)
        let file = "\(data)/\(name(of: command))"
        if isLink {
            try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: file, toPath: "\(closed)/it.sqlite")
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "\(closed)/it.sqlite")
            #expect(try await ProcessesFixture.identity(start, environment: environment) == identity)
        }
        let inTheWay = isLink ? closed : data
        try #require(chmod(inTheWay, 0o600) == 0)
        let words = "cannot open the database \(file): permission denied: run chmod u+x \(inTheWay) as "
        try await BoundStart.expectTold(start, environment, saying: words)
        try #require(chmod(inTheWay, 0o700) == 0)
        #expect(try await ProcessesFixture.identity(start, environment: environment) == identity)
    }

    @Test(
        "A key file in a closed folder, whose mark is not seen either, begins no new server in the place of a database that was lost",
        arguments: ["serve", "second-factor"])
    func unseenMark(_ command: String) async throws {
        let (data, keys) = (folder.file("data"), folder.file("keys"))
        let (start, environment) = ([command, "--data", data], try key(of: command))
        _ = try await ProcessesFixture.identity(start, environment: environment)
        try FileManager.default.removeItem(atPath: data)
        try #require(chmod(keys, 0o600) == 0)
        let words = "cannot read the key file \(keys)/it.kek: permission denied: run chmod u+x \(keys) as "
        try await BoundStart.expectTold(start, environment, saying: words)
        try #require(chmod(keys, 0o700) == 0)
        try await BoundStart.expectTold(start, environment, saying: " is missing or empty, and a server has run with it (\(keys)/it.kek.database)")
    }
}
