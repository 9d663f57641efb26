import ArgumentParser
import AuthServer
import Foundation
import HTTPService
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// A kind of service behind virtual servers, as the command line speaks of it.
protocol ServiceCommandKind: Sendable {
    /// The command.
    static var name: String { get }
    /// As it stands in addresses of the REST API.
    static var path: String { get }
    /// In sentences.
    static var words: String { get }
    static var purpose: String { get }
    static var contract: String { get }
    static var ending: String { get }
}

enum TokenServiceKind: ServiceCommandKind {
    static let name = "token-service"
    static let path = "tokenservice"
    static let words = "token service"
    static let purpose = "Say where the service is that gives tokens to apps, and with which secret it is asked."
    static let contract = "docs/token-service.md is what such a service has to keep."
    static let ending = "Give no tokens by getToken any more."
}

enum DataServiceKind: ServiceCommandKind {
    static let name = "data-service"
    static let path = "dataservice"
    static let words = "Data Service"
    static let purpose = "Say where the service is that answers devices, and with which secret it is asked."
    static let contract = "docs/data-service.md is what such a service has to keep."
    static let ending = "Answer no getData any more."
}

/// `ostiary admin token-service` and `ostiary admin data-service`: the services behind a virtual server.
struct ServiceCommands<Kind: ServiceCommandKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Kind.name, abstract: Kind.purpose, discussion: Kind.contract,
            subcommands: [ServiceShow<Kind>.self, ServicePut<Kind>.self, ServiceSecretCommand<Kind>.self, ServiceDelete<Kind>.self])
    }
}

struct ServiceShow<Kind: ServiceCommandKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "show", abstract: "Where it is and how long it may think, as put reads it.")
    }

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("\(Kind.name) show") { registry in
            let object = try await registry.call(.GET, [Kind.path, ""])
            if options.json { try options.tell(object) } else { try StandardStreams.deliver(YAMLWriter.text(of: object)) }
        }
    }
}

struct ServicePut<Kind: ServiceCommandKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "put", abstract: "Say where it is and how long it may think, as a file says it.",
            discussion: "The file is the whole of it. A service that is new, or at another host or port, gets a secret, which is printed this once.")
    }

    @OptionGroup var options: AdminOptions
    @Flag(help: "Say what would be there, and change nothing.") var dryRun = false
    @Argument(help: "YAML or JSON, as show tells it; - for standard input.") var file: String

    func run() async throws {
        try await options.run("\(Kind.name) put") { registry in
            let query = dryRun ? [("dryrun", "true")] : []
            let object = try await registry.call(.PUT, [Kind.path, ""], query: query, body: try AdminFile.object(file))
            if options.json { return try options.tell(object) }
            guard !dryRun else {
                try StandardStreams.deliver(YAMLWriter.text(of: object))
                return try StandardStreams.deliver("nothing was changed: this was a dry run")
            }
            try StandardStreams.deliver("\(Kind.words) saved")
            if let secret = object["secret"]?.string { try StandardStreams.deliver("secret, told this once: \(secret)") }
        }
    }
}

struct ServiceSecretCommand<Kind: ServiceCommandKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "secret", abstract: "Draw another secret for it, and print it; or take one that it was given.",
            discussion: "From then on the service is shown that one only: let it take both for a moment.")
    }

    @OptionGroup var options: AdminOptions
    @Option(help: ArgumentHelp("File with the secret to use, which nobody else can read; then nothing is drawn.", valueName: "file"))
    var from: String?

    func run() async throws {
        try await options.run("\(Kind.name) secret") { registry in
            let given = try from.map { try AdminOptions.secret(in: $0, of: "--from") }
            let body = JSONObject(given.map { ["secret": .string($0)] } ?? [:])
            let answer = try await registry.call(.POST, [Kind.path, "secret"], body: body)
            if options.json { return try options.tell(answer) }
            try StandardStreams.deliver(answer["secret"]?.string ?? "secret saved")
        }
    }
}

struct ServiceDelete<Kind: ServiceCommandKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "delete", abstract: Kind.ending, discussion: "Apps are told that it is not offered, at once.")
    }

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("\(Kind.name) delete") { registry in
            let answer = try await registry.call(.DELETE, [Kind.path, ""])
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver("\(Kind.words) deleted") }
        }
    }
}
