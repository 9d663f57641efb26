import ArgumentParser
import Database
import HTTPService
import Logging
import OstiaryProgram
import OstiaryProtocol
import SecondFactor
import SecondFactorServer

/// `ostiary second-factor reset`: a person who blocked their phone gets their tries back. Works beside the running server.
struct SecondFactorReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Lift the block or the penalty of one phone.",
        discussion: """
            The audit trail keeps it. A person with a hundred wrong tries since the last right PIN stays blocked: they enrol again. A phone that was \
            told to wait counts that time by itself and does not ask again before it is over.
            """)

    @OptionGroup var options: StorageOptions
    @Option(help: ArgumentHelp("The virtual server that the instance must belong to, as the REST API spells it.", valueName: "serverid"))
    var server: String?
    @Argument(help: "The instance, as the log of the second-factor server names it.")
    var instance: String

    func validate() throws { _ = try ids() }

    private func ids() throws -> (instance: InstanceID, owner: ServerID?) {
        guard let instance = InstanceID(text: instance) else { throw ValidationError("an instance is 22 characters of base64url") }
        let owner = try server.map { text in
            guard let id = ServerID(text: text) else { throw ValidationError("a serverid is 22 characters of base64url") }
            return id
        }
        return (instance, owner)
    }

    func run() async throws {
        let (instance, owner) = try ids()
        try await StartFailure.told(by: "ostiary second-factor reset") {
            try await ToldFault.telling(.command) { try await reset(instance, of: owner) }
        }
    }

    private func reset(_ instance: InstanceID, of owner: ServerID?) async throws {
        let settings = try await options.settings()
        let storage = try StorageSettings.secondFactorServer(settings, dataFolder: options.dataFolder)
        let database = try ServerStorage.openExisting(storage, of: .secondFactor)
        let keeper = SecondFactorOperator(
            database: database, logger: .service("ostiary.second-factor", level: .notice), stepPatience: .told(by: "ostiary second-factor reset"))
        let outcome = try await database.tellingWhy { try await keeper.resetInstance(instance, of: owner, at: .now) }
        try await database.close()
        switch outcome {
        case .granted, .repeated, .notBlocked: try StandardStreams.deliver(outcome.word)
        case .refused(let refusal, _): throw ResetFailure(refusal: refusal)
        }
    }
}

/// A reset that was refused.
private struct ResetFailure: Error, CustomStringConvertible {
    let refusal: ResetRefusal

    var description: String { "refused: \(refusal.words) (\(refusal))" }
}

extension ResetRefusal {
    /// What an operator does next.
    fileprivate var words: String {
        switch self {
        case .unknownInstance: "no phone has that instance here; take it from a line of this server's log, or from deviceid of the account"
        case .otherServer: "the phone belongs to another virtual server than --server names"
        case .closed: "the account was deleted, and its PIN with it: the person enrols again"
        case .notSigned, .clock, .tooMany: "this can be said of a server's message only"
        }
    }
}
