import ArgumentParser
import AuthServer
import Database
import Foundation
import HTTPService
import OstiaryProgram
import OstiaryTokens

/// `ostiary admin`: applications, APIs, roles, users and accounts of a running authentication server.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Say which applications log people in, and what they may do.",
        discussion: """
            Asks the REST API of a running server, with the key in its data folder or its settings: see docs/admin.md. move-database alone asks no server: it \
            opens the database of one that is stopped.
            """,
        subcommands: [
            ApplicationCommands.self, RegistryCommands<APIKind>.self, RegistryCommands<RoleKind>.self, RegistryCommands<UserKind>.self,
            AccountCommands.self, GrantCommands.self, ConsentCommands.self, RegistrationCommands.self, ServiceCommands<TokenServiceKind>.self,
            ServiceCommands<DataServiceKind>.self, KeyCommands.self, ApplyCommand.self,
            MoveDatabaseCommand.self,
        ])
}

/// Where the server is, and how its answers are told.
struct AdminOptions: ParsableArguments, Sendable {
    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Private listener of the server; default is where the settings have it listen.", valueName: "origin"))
    var url: String?

    @Option(
        name: .customLong("api-key-file"),
        help: ArgumentHelp("File with the API key; default is the setting, or else the file in the data folder.", valueName: "file"))
    var apiKeyFile: String?

    @Option(help: ArgumentHelp("The virtual server; needed where there are several.", valueName: "serverid"))
    var server: String?

    @Flag(help: "One JSON object on standard output: what the REST API answers, also when it refuses.")
    var json = false
}

extension AdminOptions {
    /// Asks the server, and says what went wrong: in a line on standard error, with `--json` as an object on standard output. Ends with 1 then.
    func run(_ program: String, _ body: (RegistryCalls) async throws -> Void) async throws {
        try await StartFailure.told(by: "ostiary admin \(program)") {
            do {
                try await body(try await RegistryCalls(try await calls(), server: server))
            } catch let failure as AdminFailure where json {
                try tell(failure.json)
                throw ExitCode.failure
            }
        }
    }

    /// One object as a line for scripts.
    func tell(_ object: JSONObject) throws { try StandardStreams.deliver(String(decoding: object.encoded, as: UTF8.self)) }

    private func calls() async throws -> AdminCalls {
        let settings = try await storage.settings()
        return AdminCalls(origin: try origin(settings), key: try key(settings))
    }

    /// Whoever has the key can do everything: it goes out over TLS, or to this machine.
    private func origin(_ settings: Settings) throws -> PublicURL {
        if let url {
            do { return try PublicURL(parsing: url) } catch { throw ValidationError("--url: \(error)") }
        }
        let address = try settings.listenAddress(.adminListen) ?? ListenAddress(host: "127.0.0.1", port: 8081)
        let isEverywhere = ["0.0.0.0", "::"].contains(address.host)
        let listened = isEverywhere ? ListenAddress(host: "127.0.0.1", port: address.port) : address
        do { return try PublicURL(parsing: "http://\(listened)") } catch {
            throw ValidationError("the server listens at \(listened), which is not this machine: say with --url how to reach it over https")
        }
    }

    private func key(_ settings: Settings) throws -> SecretText {
        // The setting of the server is not to blame for what the command line says.
        if let apiKeyFile { return SecretText(try Self.secret(in: apiKeyFile, of: "--api-key-file")) }
        if let key = try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) { return key }
        let path = URL(fileURLWithPath: storage.dataFolder.path).appendingPathComponent(RootAPIKey.fileName).path
        do throws(SecretFileError) { return SecretText(try SecretFile.line(in: path)) } catch {
            throw ValidationError(
                "the API key: \(error.advised(at: path)); --data names the data folder of the server, --api-key-file another file with its key")
        }
    }

    /// The one line of a file that an option names: a secret, and nobody else's to read.
    static func secret(in path: String, of option: String) throws(ValidationError) -> String {
        do throws(SecretFileError) { return try SecretFile.line(in: path) } catch { throw ValidationError("\(option): \(error.advised(at: path))") }
    }
}

/// A file that an operator wrote, in YAML or JSON.
enum AdminFile {
    /// - Parameter path: `-` for standard input.
    /// - Throws: ``AdminFileError``.
    static func object(_ path: String) throws -> JSONObject {
        let most = AdminRequest.bodyLimit
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let file, let data = try? bytes(of: file, most: most + 1) else { throw AdminFileError(unreadable: path) }
        guard data.count <= most else { throw AdminFileError(path: path, problem: "is larger than \(most) bytes: users can be put one by one") }
        guard let text = String(validating: data, as: UTF8.self) else { throw AdminFileError(path: path, problem: "is no text in UTF-8") }
        do { return try YAMLReader.object(text) } catch { throw AdminFileError(path: path, problem: "\(error)") }
    }

    /// The first bytes, from whatever gives them in pieces: a pipe has no length of its own.
    private static func bytes(of file: FileHandle, most: Int) throws -> Data {
        var data = Data()
        while data.count < most, let piece = try file.read(upToCount: most - data.count), !piece.isEmpty { data += piece }
        return data
    }
}

struct AdminFileError: Error, CustomStringConvertible {
    let path: String
    let problem: String

    var description: String { "\(path == "-" ? "standard input" : path): \(problem)" }
}

extension AdminFileError {
    /// With why, and what opens it, of a file.
    init(unreadable path: String) {
        let reasons = path == "-" ? [] : [whyUnreadable(path), readingAdvice(of: path)].compactMap { $0 }
        self.init(path: path, problem: (["cannot be read"] + reasons).joined(separator: ": "))
    }
}
