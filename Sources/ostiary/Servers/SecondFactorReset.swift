import ArgumentParser
import Database
import HTTPService
import Logging
import OstiaryProtocol
import SecondFactor
import SecondFactorServer

/// `ostiary second-factor reset`: a person who blocked their phone gets their tries back. Works beside the running server.
struct SecondFactorReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Lift the block or the penalty of one phone.",
        discussion: "The audit trail keeps it. A person with a hundred wrong tries since the last right PIN stays blocked: they enrol again.")

    @OptionGroup var options: StorageOptions
    @Option(help: ArgumentHelp("The virtual server that the instance must belong to, as the REST API spells it.", valueName: "serverid"))
    var server: String?
    @Argument(help: "The instance, as the log of the second-factor server names it.")
    var instance: String

    func run() async throws {
        guard let instance = InstanceID(text: instance) else { throw ValidationError("an instance is 22 characters of base64url") }
        let owner = try server.map { text in
            guard let id = ServerID(text: text) else { throw ValidationError("a serverid is 22 characters of base64url") }
            return id
        }
        try await StartFailure.told(by: "ostiary second-factor reset") {
            let settings = try await options.settings()
            let storage = try StorageSettings.secondFactorServer(settings, dataFolder: options.dataFolder)
            let database = try openDatabase(try DatabaseURL(parsing: storage.databaseURL), ownership: .shared)
            let keeper = SecondFactorOperator(database: database, logger: .service("ostiary.second-factor", level: .warning))
            let outcome = try await keeper.resetInstance(instance, of: owner, at: .now)
            try await database.close()
            switch outcome {
            case .granted, .repeated, .notBlocked: StandardStreams.print(outcome.word)
            case .refused: throw ResetFailure(reason: outcome.word)
            }
        }
    }
}

/// A reset that was refused.
private struct ResetFailure: Error, CustomStringConvertible {
    let reason: String
    var description: String { "refused: \(reason)" }
}
