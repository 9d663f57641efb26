import ArgumentParser
import Testing

@testable import OstiaryPhone
@testable import OstiaryProgram
@testable import ostiary

@Suite("Ids on the command line")
struct IDArgumentTests {
    private static let id = "-YaRZXWkPS3R6TDgELjPKA"
    private static let other = "--ymPq0Xb2Lk1sT9uVwR8g"

    private func parse<Command: ParsableCommand>(_ arguments: [String], as: Command.Type = Command.self) throws -> Command {
        let told = IDArguments.told(in: arguments)
        return try #require(try (arguments.first == "phone" ? OstiaryPhoneCommand.parseAsRoot(told) : OstiaryCommand.parseAsRoot(told)) as? Command)
    }

    @Test("An id that begins with “-” is taken wherever an id is, before and after options", arguments: [id, other])
    func taken(id: String) throws {
        for arguments in [["reset", id], ["reset", id, "--data", "x"], ["reset", "--data", "x", id], ["reset", "--data", "x", "--", id]] {
            let reset: SecondFactorReset = try parse(["second-factor"] + arguments)
            #expect(reset.instance == id && reset.server == nil)
            #expect(reset.options.data == (arguments.count > 2 ? "x" : "./ostiary-data"))
        }
        let reset: SecondFactorReset = try parse(["second-factor", "reset", "--server", id, Self.id])
        #expect(reset.server == id && reset.instance == Self.id)
        let deletion: DeleteAccountCommand = try parse(["phone", "delete-account", id, "--yes"])
        #expect(deletion.name == id && deletion.options.yes)
        #expect(try parse(["phone", "--json", "delete-account", "--account", id], as: DeleteAccountCommand.self).account == id)
        let removal: AccountDelete = try parse(["admin", "accounts", "delete", id, "--yes"])
        #expect(removal.account.id == id && removal.yes)
        #expect(try parse(["phone", "login", "--account", id, "code"], as: LoginCommand.self).account == id)
        #expect(try parse(["phone", "change-pin", "--account", id, "--pin-stdin"], as: ChangePINCommand.self).server.account == id)
        #expect(try parse(["phone", "add-biometrics", "--account", id], as: AddBiometricsCommand.self).server.account == id)
        #expect(try parse(["phone", "remove-biometrics", "--account", id], as: RemoveBiometricsCommand.self).server.account == id)
    }

    @Test("No option of any command is taken for an id, and what is neither is refused as before")
    func options() throws {
        var commands: [any ParsableCommand.Type] = [OstiaryCommand.self, OstiaryPhoneCommand.self]
        var names: Set<Substring> = []
        while let command = commands.popLast() {
            commands += command.configuration.subcommands
            names.formUnion(command.helpMessage(includeHidden: true).matches(of: /-{1,2}[a-z][a-z-]*/).map(\.output))
        }
        #expect(names.count > 20 && names.contains("--simulated-biometrics"))
        #expect(names.allSatisfy { !IDArguments.isID(String($0)) })
        #expect(throws: (any Error).self) { try parse(["second-factor", "reset", "-Ya"], as: SecondFactorReset.self) }
        #expect(IDArguments.told(in: ["phone", "-y", "--", "a", "-b"]) == ["phone", "-y", "--", "a", "-b"])
    }
}
