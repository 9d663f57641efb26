import ArgumentParser
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// `ostiary admin grants`: what people let clients do.
struct GrantCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants", abstract: "List what people let clients do, and end it.",
        subcommands: [GrantList.self, GrantEnd.self, GrantEndAll.self])
}

/// `ostiary admin consents`: what people agreed to, and are asked no more.
struct ConsentCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consents", abstract: "List what people agreed to, and withdraw it.", subcommands: [ConsentList.self, ConsentWithdrawal.self])
}

/// Whose, and to which client.
struct GivenOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Of all accounts of somebody, as the business backend calls them.", valueName: "userid")) var user: String?
    @Option(help: ArgumentHelp("Of one account.", valueName: "accountid")) var account: String?
    @Option(help: ArgumentHelp("Of one client only.", valueName: "client_id")) var client: String?
}

extension GivenOptions {
    /// - Throws: ``ValidationError`` unless it is said whose.
    func checkGiver() throws {
        guard user == nil || account == nil else { throw ValidationError("--user and --account are two different things: give one") }
        guard user != nil || account != nil else { throw ValidationError("say whose: --user or --account") }
    }

    /// - Throws: ``ValidationError`` unless it is said whose, or of which client.
    func checkSomething() throws {
        guard user == nil, account == nil, client != nil else { return try checkGiver() }
    }

    /// Whose, as parts of an address.
    var owner: [String] {
        if let user { return ["users", user] }
        if let account { return ["accounts", account] }
        return ["applications", client ?? ""]
    }

    var query: [(String, String)] {
        guard user != nil || account != nil, let client else { return [] }
        return [("clientid", AdminCalls.encoded(client))]
    }
}

struct GrantList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "What may be good now, a line each: id, client, who, what it hangs on, since when, last used, API, scopes.",
        discussion: "Times are Unix seconds.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var given: GivenOptions

    func validate() throws { try given.checkSomething() }

    func run() async throws {
        try await options.run("grants list") { registry in
            try options.tell("grants", try await registry.all("grants", of: given.owner, query: given.query)) { grant in
                [
                    grant.word("id"), grant.word("client_id"), grant.word("userid", or: "accountid"), grant.word("held_by"), grant.time("since"),
                    grant.time("last_used"), grant.word("api"), grant.words("scopes"),
                ]
            }
        }
    }
}

struct GrantEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "end", abstract: "End one grant for good, with every token of it.")

    @OptionGroup var options: AdminOptions
    @Argument(help: "Its id, as list tells it.") var id: String

    func run() async throws {
        try await options.run("grants end") { registry in
            let answer = try await registry.call(.DELETE, ["grants", id, ""])
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver("grant ended") }
        }
    }
}

struct GrantEndAll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-all", abstract: "End all grants of a person, an account or a client for good.",
        discussion: """
            --client alone means everybody's. What people agreed to stays: consents withdraw forgets that, too. Whoever is still logged in may be given \
            another grant; block the account to keep somebody out.
            """)

    @OptionGroup var options: AdminOptions
    @OptionGroup var given: GivenOptions

    func validate() throws { try given.checkSomething() }

    func run() async throws {
        try await options.run("grants end-all") { registry in
            let answer = try await registry.call(.DELETE, given.owner + ["grants", ""], query: given.query)
            if options.json { try options.tell(answer) } else { try StandardStreams.deliver("grants ended: \(answer.count("ended"))") }
        }
    }
}

struct ConsentList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "What somebody agreed to, a line each: client, who, API, scopes.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var given: GivenOptions

    func validate() throws { try given.checkGiver() }

    func run() async throws {
        try await options.run("consents list") { registry in
            try options.tell("consents", try await registry.all("consents", of: given.owner, query: given.query)) { consent in
                [consent.word("client_id"), consent.word("userid", or: "accountid"), consent.word("api"), consent.words("scopes")]
            }
        }
    }
}

struct ConsentWithdrawal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Forget what somebody agreed to, and end the grants: they are asked again.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var given: GivenOptions

    func validate() throws { try given.checkGiver() }

    func run() async throws {
        try await options.run("consents withdraw") { registry in
            let answer = try await registry.call(.DELETE, given.owner + ["consents", ""], query: given.query)
            if options.json { return try options.tell(answer) }
            try StandardStreams.deliver("consents withdrawn: \(answer.count("withdrawn")), grants ended: \(answer.count("ended"))")
        }
    }
}
