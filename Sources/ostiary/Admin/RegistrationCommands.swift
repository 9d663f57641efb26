import ArgumentParser
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// `ostiary admin registration`: who may register clients by themselves.
struct RegistrationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration", abstract: "Say whether clients may register themselves, and draw the tokens for it.",
        subcommands: [RegistrationShow.self, RegistrationPut.self, RegistrationToken.self, RegistrationTokensEnd.self])
}

struct RegistrationShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Who may register and for what, as put reads it, with how many did and how many tokens are open.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("registration show") { registry in
            let object = try await registry.call(.GET, ["registration", ""])
            if options.json { try options.tell(object) } else { try StandardStreams.deliver(YAMLWriter.text(of: object)) }
        }
    }
}

struct RegistrationPut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Say who may register, and for what, as a file says it.",
        discussion: "The file is the whole of it. Clients that are registered stay as they are.")

    @OptionGroup var options: AdminOptions
    @Argument(help: "YAML or JSON, as show tells it; - for standard input.") var file: String

    func run() async throws {
        try await options.run("registration put") { registry in
            let object = try await registry.call(.PUT, ["registration", ""], body: try AdminFile.object(file))
            if options.json { try options.tell(object) } else { try StandardStreams.deliver("registration saved") }
        }
    }
}

struct RegistrationToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Draw an initial access token, and print it.",
        discussion: "Whoever has it may register. It is printed this once.")

    @OptionGroup var options: AdminOptions
    @Option(help: ArgumentHelp("Seconds for which it is good, from 60 to a year.", valueName: "seconds")) var lifetime = 86_400
    @Option(help: ArgumentHelp("How many clients register with it, at most 1000.", valueName: "number")) var uses = 1

    func run() async throws {
        try await options.run("registration token") { registry in
            let body = JSONObject(["lifetime": .integer(Int64(lifetime)), "uses": .integer(Int64(uses))])
            let answer = try await registry.call(.POST, ["registration", "tokens"], body: body)
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver(answer["initial_access_token"]?.string ?? "") }
        }
    }
}

struct RegistrationTokensEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-tokens", abstract: "End all initial access tokens.",
        discussion: "Clients that registered with them stay: remove those as applications.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("registration end-tokens") { registry in
            let answer = try await registry.call(.DELETE, ["registration", "tokens"])
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver("initial access tokens ended") }
        }
    }
}
