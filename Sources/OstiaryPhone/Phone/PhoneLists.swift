import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone accounts`.
struct AccountsCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(commandName: "accounts", abstract: "List the accounts on this phone.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let accounts = try PhoneHome.accounts(of: PhoneHome.open(options))
        for account in accounts {
            let kind: TerminalLine = account.hasSecondFactor ? "" : "  (no second factor)"
            let suffix: TerminalLine = (account.state == .active ? "" : "  (\(ours: account.state.rawValue))") + kind
            let line: TerminalLine =
                "\(ours: "\(account.id)")  \(others: account.username)  \(others: account.serverName)  \(others: "\(account.serverURL)")"
            output.list(
                "account", "account", account.json, line: line + suffix)
        }
        if accounts.isEmpty { output.remark(TerminalLine(ours: PhoneInputError.noAccounts.description)) }
        return .done
    }
}

/// `ostiary phone delete-account`.
struct DeleteAccountCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-account", abstract: "Remove an account and its keys from this phone, and tell the server.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @Option(help: ArgumentHelp("The same as the argument.", valueName: "account"))
    var account: String?
    @Argument(help: "Id or user name of the account; may be left out when there is only one.")
    var name: String?

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let ostiary = try PhoneHome.open(options)
        let chosen = try choose(among: try PhoneHome.accounts(of: ostiary))
        guard options.yes || confirmed(chosen) else { return .cancelledOrDenied }
        do throws(OstiaryError) {
            try await ostiary.remove(chosen)
        } catch {
            guard error == .serverConnection else { throw error }
            // The account is gone from this phone all the same; the SDK tells the server as soon as it can.
            output.tell(.accountDeleted(chosen))
            throw error
        }
        output.tell(.accountDeleted(chosen))
        return .done
    }

    private func choose(among accounts: [Account]) throws(PhoneInputError) -> Account {
        guard let wanted = name ?? account else {
            guard let only = accounts.first, accounts.count == 1 else { throw accounts.isEmpty ? .noAccounts : .severalAccounts }
            return only
        }
        let found = accounts.filter { $0.isCalled(wanted) }
        guard let first = found.first else { throw .unknownAccount(wanted) }
        guard found.count == 1 else { throw .ambiguousAccount(wanted) }
        return first
    }

    private func confirmed(_ account: Account) -> Bool {
        let question: TerminalLine = "Delete \(others: account.username) at \(others: account.serverName)? [y/N] "
        StandardStreams.write(question.text(columns: StandardStreams.columns(of: STDERR_FILENO)), to: STDERR_FILENO)
        return ["y", "yes"].contains(KeyInput.line()?.lowercased() ?? "")
    }
}
