import Foundation
import OstiaryTesting
import Testing

@Suite("A key file that the server's user may not make or read", .enabled(if: BoundStart.isPossible), .timeLimit(.minutes(5)))
struct ForbiddenKeyFileTests {
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
}
