import ArgumentParser
import AuthServer
import Foundation
import HTTPService
import NIOHTTP1
import OstiaryTokens

/// `ostiary admin token-service`: the service behind a virtual server that gives tokens.
struct TokenServiceCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-service", abstract: "Say where the service is that gives tokens to apps, and with which secret it is asked.",
        discussion: "docs/token-service.md is what such a service has to keep.",
        subcommands: [TokenServiceShow.self, TokenServicePut.self, TokenServiceSecret.self, TokenServiceDelete.self])
}

struct TokenServiceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Where it is and how long it may think, as put reads it.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("token-service show") { registry in
            let object = try await registry.call(.GET, ["tokenservice", ""])
            if options.json { try options.tell(object) } else { try StandardStreams.deliver(YAMLWriter.text(of: object)) }
        }
    }
}

struct TokenServicePut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Say where it is and how long it may think, as a file says it.",
        discussion: "The file is the whole of it. A service that is new, or at another host or port, gets a secret, which is printed this once.")

    @OptionGroup var options: AdminOptions
    @Flag(help: "Say what would be there, and change nothing.") var dryRun = false
    @Argument(help: "YAML or JSON, as show tells it; - for standard input.") var file: String

    func run() async throws {
        try await options.run("token-service put") { registry in
            let query = dryRun ? [("dryrun", "true")] : []
            let object = try await registry.call(.PUT, ["tokenservice", ""], query: query, body: try AdminFile.object(file))
            if options.json { return try options.tell(object) }
            guard !dryRun else {
                try StandardStreams.deliver(YAMLWriter.text(of: object))
                return try StandardStreams.deliver("nothing was changed: this was a dry run")
            }
            try StandardStreams.deliver("token service saved")
            if let secret = object["secret"]?.string { try StandardStreams.deliver("secret, told this once: \(secret)") }
        }
    }
}

struct TokenServiceSecret: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Draw another secret for it, and print it; or take one that it was given.",
        discussion: "From then on the service is shown that one only: let it take both for a moment.")

    @OptionGroup var options: AdminOptions
    @Option(help: ArgumentHelp("File with the secret to use, which nobody else can read; then nothing is drawn.", valueName: "file"))
    var from: String?

    func run() async throws {
        try await options.run("token-service secret") { registry in
            let given = try await from.asyncMap(Self.secret(in:))
            let body = JSONObject(given.map { ["secret": .string($0)] } ?? [:])
            let answer = try await registry.call(.POST, ["tokenservice", "secret"], body: body)
            if options.json { return try options.tell(answer) }
            try StandardStreams.deliver(answer["secret"]?.string ?? "secret saved")
        }
    }

    /// Like the file of any other secret: one line, and nobody else's to read.
    private static func secret(in path: String) async throws -> String {
        do {
            let only = try await Settings.load([.rootAPIKeyFile], environment: [:], overrides: [.rootAPIKeyFile: path])
            return try only.required(.rootAPIKeyFile, try only.secret(.rootAPIKey, file: .rootAPIKeyFile)).shown { $0 }
        } catch {
            guard let problem = AdminOptions.problem(of: error) else { throw error }
            throw ValidationError("--from: \(problem)")
        }
    }
}

struct TokenServiceDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Give no tokens by getToken any more.", discussion: "Apps are told that it is not offered, at once.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("token-service delete") { registry in
            let answer = try await registry.call(.DELETE, ["tokenservice", ""])
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver("token service deleted") }
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Other>(_ transform: (Wrapped) async throws -> Other) async rethrows -> Other? {
        if let wrapped = self { try await transform(wrapped) } else { nil }
    }
}
