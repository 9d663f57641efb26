import Foundation
import OstiaryTesting
import Testing

@Suite("A database in a folder that the server's user may not enter", .enabled(if: BoundStart.isPossible), .timeLimit(.minutes(5)))
struct ClosedFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func key(of command: String) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: folder.file("keys"), withIntermediateDirectories: true)
        return key(of: command, at: folder.file("keys/it.kek"))
    }

    private func key(of command: String, at path: String) -> [String: String] {
        [command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE": path]
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

    @Test(
        "A first start that is refused, for its key or its root key, leaves nothing with which a lost database becomes a new server when its key is put back",
        arguments: ["serve", "second-factor"], [false, true])
    func refusedFirst(_ command: String, isRootKey: Bool) async throws {
        let (data, closed) = (folder.file("data"), folder.file("closed"))
        let start = [command, "--data", data]
        _ = try await ProcessesFixture.identity(start)
        let keyFile = "\(data)/\(command == "serve" ? "ostiary" : "second-factor").kek"
        let kept = try Data(contentsOf: URL(fileURLWithPath: keyFile))
        // The disk is not mounted, and the settings name a key somewhere else.
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        let (option, environment) = isRootKey ? (["--root-key", "\(closed)/root.key"], [:]) : ([], key(of: command, at: "\(closed)/it.kek"))
        try await BoundStart.expectTold(start + option, environment, saying: "cannot make the key file \(closed)/")
        // The key comes back alone.
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: keyFile, contents: kept, attributes: [.posixPermissions: 0o600]))
        try await BoundStart.expectTold(start, saying: " is missing or empty, and a server has run with it (\(keyFile))")
    }

    @Test("A database that is a link to a disk that is not mounted is told as that, and nothing is made", arguments: ["serve", "second-factor"])
    func unmounted(_ command: String) async throws {
        let (data, disk) = (folder.file("data"), folder.file("disk"))
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let file = "\(data)/\(name(of: command))"
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "\(disk)/it.sqlite")
        let words = "\(file): it is a link to \(disk)/it.sqlite, and there is no folder \(disk): mount the disk that it is on; nothing was made"
        try await BoundStart.expectTold([command, "--data", data], saying: words)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == [name(of: command)])
    }
}
