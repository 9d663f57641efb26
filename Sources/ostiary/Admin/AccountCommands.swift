import ArgumentParser
import Foundation
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// `ostiary admin accounts`: the phones of users.
struct AccountCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List the accounts of a user, show one, block it, and remove it.",
        discussion: "An account is one phone of one user. Backends enrol them: see docs/rest-api.md.",
        subcommands: [
            AccountList.self, AccountShow.self, AccountBlock.self, AccountUnblock.self, AccountReset.self, AccountDelete.self,
        ])
}

/// Which one.
struct AccountArgument: ParsableArguments, Sendable {
    @Argument(help: "Its id, as list tells it.", transform: RegistryName.checked) var id: String
}

struct AccountList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The accounts of a user, oldest first, a line each: id, state, name, device, since when, when last used.",
        discussion: "Times are Unix seconds. A headless account has no second factor.")

    @OptionGroup var options: AdminOptions
    @Option(help: ArgumentHelp("Whose, as the business backend calls them.", valueName: "userid"), transform: RegistryName.checked) var user: String

    func run() async throws {
        try await options.run("accounts list") { registry in
            try options.tell("accounts", try await registry.all("accounts", of: ["users", user])) { account in
                [
                    account.word("id"), account.accountState, account.word("name"), account.word("description"), account.time("created"),
                    account.time("lastlogin"),
                ]
            }
        }
    }
}

struct AccountShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "What the server knows of one account, as the REST API tells it.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var account: AccountArgument

    func run() async throws {
        try await options.run("accounts show") { registry in
            let object = try await registry.account(account.id)
            if options.json { try options.tell(object) } else { try StandardStreams.deliver(YAMLWriter.text(of: object)) }
        }
    }
}

struct AccountBlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Keep an account out: its logins end, and what clients were let do in its name.",
        discussion: "They end for good. unblock lets its phone log in again.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var account: AccountArgument

    func run() async throws {
        try await options.run("accounts block") { registry in try options.tell(try await registry.block(account.id, true), "account blocked") }
    }
}

struct AccountUnblock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unblock", abstract: "Let an account log in again.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var account: AccountArgument

    func run() async throws {
        try await options.run("accounts unblock") { registry in try options.tell(try await registry.block(account.id, false), "account unblocked") }
    }
}

struct AccountReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-second-factor", abstract: "Give a person whose tries are used up their tries back.",
        discussion: "Make sure that it is the person. The second-factor server allows few of these a day, and writes each down.")

    @OptionGroup var options: AdminOptions
    @OptionGroup var account: AccountArgument

    func run() async throws {
        try await options.run("accounts reset-second-factor") { registry in
            let answer = try await registry.call(.POST, ["accounts", account.id, "secondfactor", "reset"])
            try options.tell(answer, "the second factor is taken again")
        }
    }
}

struct AccountDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Remove an account for good, after a question: its logins end, and its person enrols anew.")

    @OptionGroup var options: AdminOptions
    @Flag(name: .shortAndLong, help: "Ask nothing.") var yes = false
    @OptionGroup var account: AccountArgument

    func run() async throws {
        try await options.run("accounts delete") { registry in
            if !yes { try await confirm(try await registry.account(account.id)) }
            try options.tell(try await registry.call(.DELETE, ["accounts", account.id, ""]), "account removed")
        }
    }

    /// Asks whether this is the one.
    /// - Throws: `AdminFailure.notConfirmed`, also where nobody is there to say yes.
    private func confirm(_ account: JSONObject) async throws {
        let words = [account.word("userid"), account.word("name"), account.word("description"), account.accountState]
        let question: TerminalLine = "Remove for good \(others: words.joined(separator: "  "))\(ours: "? [y/N] ")"
        StandardStreams.write(question.text(columns: StandardStreams.columns(of: STDERR_FILENO)), to: STDERR_FILENO)
        let answer = await KeyInput.onOwnThread { KeyInput.line() }
        guard ["y", "yes"].contains(answer?.lowercased() ?? "") else { throw AdminFailure.notConfirmed }
    }
}

extension RegistryCalls {
    fileprivate func account(_ id: String) async throws -> JSONObject { try await call(.GET, ["accounts", id, ""]) }

    fileprivate func block(_ id: String, _ isBlocked: Bool) async throws -> JSONObject {
        try await call(.PUT, ["accounts", id, ""], body: JSONObject(["blocked": .bool(isBlocked)]))
    }
}

extension AdminOptions {
    /// What was done: the answer to a script, a line to a person.
    fileprivate func tell(_ answer: JSONObject, _ line: String) throws { if json { try tell(answer) } else { try StandardStreams.deliver(line) } }
}

extension JSONObject {
    /// Whether it may log in, in a word, or two for one without a second factor.
    fileprivate var accountState: String {
        let state = self["blocked"] == .bool(true) ? "blocked" : word("state")
        return self["headless"] == .bool(true) ? "\(state) headless" : state
    }
}
