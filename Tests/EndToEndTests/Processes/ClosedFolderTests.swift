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

    /// Has a start say why it ends, while a folder is closed to it, and what opens that: with this, and no right more, the rest is done.
    /// - Parameter lacking: the rights that are told, as `chmod` takes them.
    private func expectTold(
        _ start: [String], _ environment: [String: String] = [:], while closed: String, has mode: mode_t = 0o600, lacking: String = "x",
        saying words: String, opened: () async throws -> Void
    ) async throws {
        defer { chmod(closed, 0o700) }
        try #require(chmod(closed, mode) == 0)
        try await BoundStart.expectTold(start, environment, saying: "\(words): permission denied: run chmod u+\(lacking) \(closed) as ")
        let rights: [Character: mode_t] = ["r": 0o400, "w": 0o200, "x": 0o100]
        try #require(chmod(closed, lacking.reduce(mode) { $0 | rights[$1, default: 0] }) == 0)
        try await opened()
    }

    /// Of a start that modes bind: root would go on in any case.
    private func expectGoesOn(_ start: [String], _ environment: [String: String] = [:], as identity: String) async throws {
        let program = try BoundStart.program(start + ["--print-identity"], environment)
        #expect(try await ProcessesFixture.identity(toldBy: program) == identity)
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
        try await expectTold(start, environment, while: inTheWay, saying: "cannot open the database \(file)") {
            try await expectGoesOn(start, environment, as: identity)
        }
    }

    @Test(
        "A key file in a closed folder, whose mark is not seen either, begins no new server in the place of a database that was lost",
        arguments: ["serve", "second-factor"])
    func unseenMark(_ command: String) async throws {
        let (data, keys) = (folder.file("data"), folder.file("keys"))
        let (start, environment) = ([command, "--data", data], try key(of: command))
        _ = try await ProcessesFixture.identity(start, environment: environment)
        try FileManager.default.removeItem(atPath: data)
        try await expectTold(start, environment, while: keys, saying: "cannot read the key file \(keys)/it.kek") {
            let words = " is missing or empty, and a server has run with it (\(keys)/it.kek.database)"
            try await BoundStart.expectTold(start, environment, saying: words)
        }
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

    @Test(
        "A key file that is a link to a disk that is not mounted is told as that, and not as one that is missing; a first start makes nothing in its place",
        arguments: ["serve", "second-factor"])
    func unmountedKey(_ command: String) async throws {
        let (data, disk) = (folder.file("data"), folder.file("disk"))
        let start = [command, "--data", data]
        let identity = try await ProcessesFixture.identity(start)
        let key = "\(data)/\(command == "serve" ? "ostiary" : "second-factor").kek"
        try FileManager.default.moveItem(atPath: key, toPath: disk)
        try FileManager.default.createSymbolicLink(atPath: key, withDestinationPath: disk)
        #expect(try await ProcessesFixture.identity(start) == identity)
        try FileManager.default.moveItem(atPath: disk, toPath: disk + ".away")
        let words = "cannot read the key file \(key): no such file or directory: \(key) is a link to \(disk), and there is no such file: mount "
        try await BoundStart.expectTold(start, saying: words)
        let new = folder.file("new")
        try await BoundStart.expectTold([command, "--data", new], self.key(of: command, at: key), saying: words)
        #expect(!FileManager.default.fileExists(atPath: new) && !FileManager.default.fileExists(atPath: disk))
        try FileManager.default.moveItem(atPath: disk + ".away", toPath: disk)
        #expect(try await ProcessesFixture.identity(start) == identity)
    }

    @Test(
        "Of a folder that is closed in more than one way all that is lacking is told at once, and with that a start goes on",
        arguments: ["serve", "second-factor"], [0o000, 0o400] as [mode_t])
    func wholly(_ command: String, mode: mode_t) async throws {
        let data = folder.file("data")
        let start = [command, "--data", data]
        let identity = try await ProcessesFixture.identity(start)
        try await expectTold(start, while: data, has: mode, lacking: mode == 0 ? "rwx" : "wx", saying: name(of: command)) {
            try await expectGoesOn(start, as: identity)
        }
    }

    @Test("A folder above the data folder is asked for a way through it, and for no right to write there", arguments: ["serve", "second-factor"])
    func above(_ command: String) async throws {
        let (above, data) = (folder.file("above"), folder.file("above/data"))
        let start = [command, "--data", data]
        let identity = try await ProcessesFixture.identity(start)
        try await expectTold(start, while: above, has: 0, lacking: "rx", saying: name(of: command)) {
            try await expectGoesOn(start, as: identity)
        }
    }

    @Test(
        "A data folder that is a link to a disk that is not mounted is told as that, and not as a lost database beside whose keys something is to be removed",
        arguments: ["serve", "second-factor"], [false, true])
    func unmountedFolder(_ command: String, hasRun: Bool) async throws {
        let (data, disk) = (folder.file("data"), folder.file("disk"))
        let (start, environment) = ([command, "--data", data], try key(of: command))
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: disk)
        let identity: String? = if hasRun { try await ProcessesFixture.identity(start, environment: environment) } else { nil }
        try FileManager.default.moveItem(atPath: disk, toPath: disk + ".away")
        let words = "\(name(of: command)): \(data) is a link to \(disk), and there is no such folder: mount the disk that it is on, or make it; "
        try await BoundStart.expectTold(start, environment, saying: words + "nothing was made")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.file("keys"))
        #expect(!FileManager.default.fileExists(atPath: disk) && made.isEmpty == !hasRun)
        guard let identity else { return }
        try FileManager.default.moveItem(atPath: disk + ".away", toPath: disk)
        #expect(try await ProcessesFixture.identity(start, environment: environment) == identity)
    }

    @Test(
        "Word of a move that lies in a closed folder, behind a link, is not taken for none: no server starts on what was moved away",
        arguments: ["serve", "second-factor"])
    func closedWord(_ command: String) async throws {
        let (data, closed) = (folder.file("data"), folder.file("closed"))
        let start = [command, "--data", data]
        let identity = try await ProcessesFixture.identity(start)
        let file = "\(data)/\(name(of: command))"
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true)
        let word = try folder.write("postgresql:///new\n", to: "closed/word")
        try FileManager.default.createSymbolicLink(atPath: "\(file).moved", withDestinationPath: word)
        let words = "the database \(file) was moved to another one (\(file).moved, which cannot be read"
        try await expectTold(start, while: closed, saying: words) {
            try await BoundStart.expectTold(start, saying: "the database \(file) was moved to postgresql:///new (\(file).moved): ")
        }
        try FileManager.default.removeItem(atPath: "\(file).moved")
        #expect(try await ProcessesFixture.identity(start) == identity)
    }
}
