import Foundation
import OstiaryTesting
import Testing

@Suite("A key file that the server's user may not make or read", .enabled(if: BoundStart.isPossible), .timeLimit(.minutes(5)))
struct ForbiddenKeyFileTests {
    /// Those that a whole start must have.
    private static let settings = [
        "OSTIARY_PUBLIC_URL": "http://localhost:8080", "OSTIARY_SECOND_FACTOR_URL": "http://localhost:8090",
        "OSTIARY_SECOND_FACTOR_IDENTITY": String(repeating: "ab", count: 32),
    ]

    @Test(
        "A start names the key file, what is in its way and the command that opens it; with that it goes on as before",
        arguments: ["serve", "second-factor"], [false, true])
    func told(_ command: String, isRootKey: Bool) async throws {
        let folder = try TemporaryFolder()
        let keys = folder.file("keys")
        let key = "\(keys)/it.key"
        let setting = command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE"
        let start = [command, "--data", folder.file("data")] + (isRootKey ? ["--root-key", key] : [])
        let environment = isRootKey ? [:] : [setting: key]
        func expectTold(_ words: String) async throws { try await BoundStart.expectTold(start, environment, saying: words) }

        try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        try await expectTold("cannot make the key file \(key): permission denied: run chmod u+wx \(keys) as ")
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys).isEmpty)
        try #require(chmod(keys, 0o700) == 0)
        let identity = try await ProcessesFixture.identity(start, environment: environment)

        let kept = try Data(contentsOf: URL(fileURLWithPath: key))
        try #require(chmod(key, 0o200) == 0)
        try await expectTold("cannot read the key file \(key): permission denied: run chmod u+r \(key) as ")
        try #require(chmod(key, 0o400) == 0 && chmod(keys, 0o600) == 0)
        try await expectTold("cannot read the key file \(key): permission denied: run chmod u+x \(keys) as ")
        // A key file that is there is read, and its folder not written.
        try #require(chmod(keys, 0) == 0)
        try await expectTold("cannot read the key file \(key): permission denied: run chmod u+rx \(keys) as ")
        try #require(chmod(keys, 0o700) == 0)
        #expect(try await ProcessesFixture.identity(start, environment: environment) == identity)
        #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == kept)
    }

    @Test("Of the API key of the data folder its file is told, and no setting that nobody has set; of a file that is named, what opens or makes it")
    func apiKey() async throws {
        let folder = try TemporaryFolder()
        let start = ["serve", "--data", folder.file("data")]
        func expectTold(_ environment: [String: String], _ words: String) async throws {
            try await BoundStart.expectTold(start, environment, isOnlyIdentity: false, saying: words)
        }
        _ = try await ProcessesFixture.identity(start)
        let made = try folder.write(String(repeating: "a0", count: 32), to: "data/root-api-key", mode: 0o200)
        try await expectTold([:], "cannot read the API key \(made): permission denied: run chmod u+r \(made) as ")

        let named = try folder.write(String(repeating: "a0", count: 32), to: "api-key", mode: 0o200)
        let setting = "OSTIARY_ROOT_API_KEY_FILE"
        try await expectTold([setting: named], "\(setting): cannot read \(named): this user may not read it: run chmod u+r \(named) as ")
        let missing = ": there is no such file: name the file that holds it; a new key is made by (umask 077; openssl rand -hex 32"
        try await expectTold([setting: named + "x"], missing)

        let configuration = try folder.write("server_name: Shop\n", to: "it.yaml", mode: 0o200)
        let told = "cannot read the configuration file \(configuration): run chmod u+r \(configuration) as "
        try await BoundStart.expectTold(start + ["--config", configuration], isOnlyIdentity: false, saying: told)
    }

    @Test("An API key that cannot be made is told as that, and not as a key file: no database is lost with it")
    func unmadeAPIKey() async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        let environment = Self.settings.merging([
            "OSTIARY_DATABASE_URL": "sqlite:\(folder.file("other/it.sqlite"))", "OSTIARY_KEK_FILE": folder.file("other/it.kek"),
        ]) { $1 }
        let words = "cannot make the API key \(data)/root-api-key: permission denied: run chmod u+wx \(data) as "
        try await BoundStart.expectTold(["serve", "--data", data], environment, isOnlyIdentity: false, saying: words)
    }

    @Test(
        "A start that reads the API key first tells all that its data folder is lacking, as one that opens the database",
        arguments: [0o000, 0o400, 0o600] as [mode_t])
    func closedData(mode: mode_t) async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        _ = try await ProcessesFixture.identity(["serve", "--data", data])
        let key = try folder.write(String(repeating: "a0", count: 32), to: "data/root-api-key")
        // Behind a link it is the same folder.
        let way = folder.file("way")
        try FileManager.default.createSymbolicLink(atPath: way, withDestinationPath: data)
        let kept = try Data(contentsOf: URL(fileURLWithPath: key))
        let lacking = mode == 0 ? "rwx" : mode == 0o400 ? "wx" : "x"
        for place in [data, way] {
            defer { withExtendedLifetime(folder) { _ = chmod(data, 0o700) } }
            try #require(chmod(data, mode) == 0)
            let words = "cannot read the API key \(place)/root-api-key: permission denied: run chmod u+\(lacking) \(data) as "
            try await BoundStart.expectTold(["serve", "--data", place], isOnlyIdentity: false, saying: words)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == kept)
    }

    @Test(
        "Of files and a folder of another user all are given by one command; a folder in which something else is, too, stays whose it is",
        .enabled(if: geteuid() == 0), arguments: [false, true])
    func given(isOthers: Bool) async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        let start = ["serve", "--data", data]
        let identity = try await ProcessesFixture.identity(start)
        let key = try folder.write(String(repeating: "a0", count: 32), to: "data/root-api-key")
        let files = try FileManager.default.contentsOfDirectory(atPath: data).map { "\(data)/\($0)" }
        if isOthers { _ = try folder.write("", to: "data/second-factor.kek") }
        for place in files + [data] { try #require(chown(place, 61_234, 61_234) == 0) }
        try #require(chmod(data, 0o755) == 0)
        let program = try BoundStart.program(start)
        #expect(try await program.end() == 1)
        let told = program.complaints.trimmingCharacters(in: .newlines)
        #expect(told.contains(": cannot read the API key \(key): permission denied: \(key) is of the user 61234, and this runs as "), "\(told)")
        let command = try #require(told.components(separatedBy: ", run chown -h ").last)
        #expect(command.hasSuffix(" as root"), "\(told)")
        let places = command.dropLast(" as root".count).split(separator: " ").dropFirst().map(String.init)
        let expected = files + (isOthers ? [] : [data])
        #expect(Set(places) == Set(expected) && places.count == expected.count, "\(told)")
        if isOthers { return }
        for place in places { try #require(chown(place, geteuid(), getegid()) == 0) }
        let given = try BoundStart.program(start + ["--print-identity"])
        #expect(try await ProcessesFixture.identity(toldBy: given) == identity)
    }

    @Test("Of a link into a closed folder of another user that link is told of, and nobody is to give the folder away", .enabled(if: geteuid() == 0))
    func linkElsewhere() async throws {
        let folder = try TemporaryFolder()
        let (data, closed) = (folder.file("data"), folder.file("closed"))
        for place in [data, closed] { try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true) }
        _ = try folder.write("", to: "closed/it")
        try FileManager.default.createSymbolicLink(atPath: "\(data)/root-api-key", withDestinationPath: "\(closed)/it")
        try #require(chown(closed, 61_234, 61_234) == 0 && chmod(closed, 0o700) == 0)
        let words = " through the folder \(closed) (chmod, as its owner), have the link lead elsewhere that leads there, or run this as one who may"
        try await BoundStart.expectTold(["serve", "--data", data], isOnlyIdentity: false, saying: words)
    }

    @Test("Of a logo what opens it is told, too; and of a file that no right opens, what is in the way to it")
    func otherFiles() async throws {
        let folder = try TemporaryFolder()
        let start = ["serve", "--data", folder.file("data")]
        func expectTold(_ more: [String: String], options: [String] = [], saying words: String) async throws {
            try await BoundStart.expectTold(start + options, Self.settings.merging(more) { $1 }, isOnlyIdentity: false, saying: words)
        }
        let logo = try folder.write("<svg", to: "logo.svg", mode: 0o200)
        let told = "OSTIARY_SERVER_LOGO: cannot read \(logo): this user may not read it: run chmod u+r \(logo) as "
        try await expectTold(["OSTIARY_SERVER_LOGO": logo], saying: told)

        let (circle, long) = (folder.file("circle"), folder.file(String(repeating: "x", count: 300)))
        try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: circle)
        let links = "the links behind \(circle) lead in a circle (namei \(circle) shows them)"
        try await expectTold([:], options: ["--config", circle], saying: "cannot read the configuration file \(circle): \(links)")
        try await expectTold(["OSTIARY_ROOT_API_KEY_FILE": circle], saying: "cannot read \(circle): too many levels of symbolic links: \(links)")
        let place = "\(logo) is a file, and a folder is to be there: mend the path"
        try await expectTold([:], options: ["--config", "\(logo)/it"], saying: "cannot read the configuration file \(logo)/it: \(place)")
        try await expectTold(["OSTIARY_ROOT_API_KEY_FILE": "\(logo)/it"], saying: "cannot read \(logo)/it: not a directory: \(place)")
        try await expectTold([:], options: ["--config", long], saying: "cannot read the configuration file \(long): file name too long")
        try await expectTold(["OSTIARY_ROOT_API_KEY_FILE": long], saying: "cannot read \(long): file name too long")
        #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
    }

    @Test("Of the file of a password that the URL of a database names it is told likewise", .enabled(if: PostgreSQLCluster.isInstalled))
    func password() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("geheim\n", to: "password", mode: 0o200)
        let environment = ["OSTIARY_DATABASE_URL": "postgresql://ostiary@127.0.0.1:1/none?password_file=\(file)"]
        let words = ": the password file \(file) cannot be read: permission denied: run chmod u+r \(file) as "
        try await BoundStart.expectTold(["serve", "--data", folder.file("data")], environment, saying: words)
    }
}
