import ArgumentParser
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// A kind of thing that an operator writes.
protocol RegistryKind: Sendable {
    /// In the address of the REST API, in its answers and in the command line.
    static var list: String { get }
    static var noun: String { get }
    /// What names one, in its object.
    static var key: String { get }
    /// What a list says beside the name.
    static var beside: [String] { get }
}

enum ApplicationKind: RegistryKind {
    static let (list, noun, key, beside) = ("applications", "application", "client_id", ["kind", "client_name"])
}

enum APIKind: RegistryKind {
    static let (list, noun, key, beside) = ("apis", "API", "identifier", ["name"])
}

enum RoleKind: RegistryKind {
    static let (list, noun, key, beside) = ("roles", "role", "role", [String]())
}

enum UserKind: RegistryKind {
    static let (list, noun, key, beside) = ("users", "user", "user_id", ["name"])
}

/// What can stand in an address as a name.
enum RegistryName {
    /// Refuses what would be the address of something else: nothing, and what is taken out of an address on its way.
    static func checked(_ name: String) throws -> String {
        guard !["", ".", ".."].contains(name) else { throw ValidationError(name.isEmpty ? "a name is wanted" : "nothing is named \(name)") }
        return name
    }
}

/// `ostiary admin apis`, and the like of the other kinds.
struct RegistryCommands<Kind: RegistryKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Kind.list, abstract: "List, show, write and remove \(Kind.list).", subcommands: subcommands)
    }

    static var subcommands: [any ParsableCommand.Type] {
        [RegistryList<Kind>.self, RegistryShow<Kind>.self, RegistryPut<Kind>.self, RegistryDelete<Kind>.self]
    }
}

/// `ostiary admin applications`: the same, and secrets.
struct ApplicationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: ApplicationKind.list, abstract: "List, show, write and remove applications, and give them secrets.",
        subcommands: RegistryCommands<ApplicationKind>.subcommands + [SecretCommand.self])
}

struct RegistryList<Kind: RegistryKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "list", abstract: "All \(Kind.list), a line each: the name, and what it is.")
    }

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("\(Kind.list) list") { registry in
            let all = try await registry.all(Kind.list)
            guard !options.json else {
                return try options.tell(
                    JSONObject([Kind.list: .array(all.map { .object($0) }), "totalnumber": .integer(Int64(all.count))]))
            }
            let rows = all.map { object in ([Kind.key] + Kind.beside).map { YAMLWriter.line(object[$0]?.string ?? "") } }
            let width = rows.map { $0[0].count }.max() ?? 0
            for row in rows {
                let name = row[0] + String(repeating: " ", count: row.count > 1 ? width - row[0].count : 0)
                try StandardStreams.deliver(([name] + row.dropFirst()).joined(separator: "  "))
            }
        }
    }
}

struct RegistryShow<Kind: RegistryKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "show", abstract: "One \(Kind.noun), as put and apply read it.")
    }

    @OptionGroup var options: AdminOptions
    @Argument(help: ArgumentHelp("Its name: \(Kind.key)."), transform: RegistryName.checked) var name: String

    func run() async throws {
        try await options.run("\(Kind.list) show") { registry in
            let object = try await registry.call(.GET, [Kind.list, name, ""])
            if options.json { try options.tell(object) } else { try StandardStreams.deliver(YAMLWriter.text(of: object)) }
        }
    }
}

struct RegistryPut<Kind: RegistryKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "put", abstract: "Write one \(Kind.noun) as a file says it.",
            discussion: "The file is the whole of it: what it leaves out is as if nobody had ever said it. Saying it again changes nothing.")
    }

    @OptionGroup var options: AdminOptions
    @Argument(help: ArgumentHelp("Its name: \(Kind.key)."), transform: RegistryName.checked) var name: String
    @Argument(help: "YAML or JSON, as show tells it; - for standard input.") var file: String

    func run() async throws {
        try await options.run("\(Kind.list) put") { registry in
            let object = try await registry.call(.PUT, [Kind.list, name, ""], body: try AdminFile.object(file))
            if options.json { return try options.tell(object) }
            // Told this once: whoever does not read it now needs another.
            try StandardStreams.deliver(object["client_secret"]?.string.map { "client_secret: \($0)" } ?? "\(Kind.noun) saved")
        }
    }
}

struct RegistryDelete<Kind: RegistryKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "delete", abstract: "Remove one \(Kind.noun), with all that hangs on it.")
    }

    @OptionGroup var options: AdminOptions
    @Argument(help: ArgumentHelp("Its name: \(Kind.key)."), transform: RegistryName.checked) var name: String

    func run() async throws {
        try await options.run("\(Kind.list) delete") { registry in
            let answer = try await registry.call(.DELETE, [Kind.list, name, ""])
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver("\(Kind.noun) removed") }
        }
    }
}

/// `ostiary admin applications secret`: another secret, told once.
struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Give an application another secret, and print it.",
        discussion: "The former ones are over at once, unless --overlap leaves the parts of the client time to be told.")

    @OptionGroup var options: AdminOptions
    @Option(help: ArgumentHelp("Seconds for which the former secrets go on, up to 30 days.", valueName: "seconds")) var overlap = 0
    @Argument(help: "Its name: client_id.", transform: RegistryName.checked) var name: String

    func validate() throws {
        guard (0...2_592_000).contains(overlap) else { throw ValidationError("--overlap is a number from 0 to 2592000") }
    }

    func run() async throws {
        try await options.run("applications secret") { registry in
            let answer = try await registry.call(
                .POST, [ApplicationKind.list, name, "secret"], body: JSONObject(["overlap": .integer(Int64(overlap))]))
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver(answer["client_secret"]?.string ?? "") }
        }
    }
}
