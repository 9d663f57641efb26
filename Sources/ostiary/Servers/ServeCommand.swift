import ArgumentParser
import AuthServer
import Database
import Foundation
import HTTPService
import Logging
import OstiaryProgram
import OstiaryProtocol
import SecondFactorServer
import Synchronization

/// `ostiary serve`: the authentication server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        _superCommandName: "ostiary",
        abstract: "Run the authentication server.",
        discussion: "Settings are environment variables that begin with OSTIARY_, or keys of --config: see docs/operations.md.")

    @OptionGroup var options: StorageOptions
    @OptionGroup var identity: IdentityOptions
    @OptionGroup var parent: ParentOptions

    func run() async throws {
        try await StartFailure.told(by: "ostiary serve") {
            parent.watch()
            let settings = try await options.settings()
            if identity.printIdentity { return try await ToldFault.telling(.command) { try await printIdentity(settings) } }
            try await ToldFault.telling(.start) { try await serve(settings) }
        }
    }

    private func printIdentity(_ settings: Settings) async throws {
        let storage = try StorageSettings.authServer(settings, dataFolder: options.dataFolder)
        let opened = try await ServerStorage.open(storage, of: .authentication, in: options.dataFolder, identity, ownership: .shared)
        let hash = try await AuthNode.identityHash(
            database: opened.database, keyEncryptionKey: opened.key, rootKey: try identity.rootKey(), serverName: try settings.serverName(),
            logger: .service("ostiary.serve", level: try settings.logLevel()), stepPatience: .told(by: "ostiary serve"), clock: { .now })
        opened.keyIsProven()
        try await opened.database.close()
        try StandardStreams.deliver(Base64URL.encode(hash))
    }

    private func serve(_ given: Settings) async throws {
        // All that is set is looked at before anything is made.
        let settings = try AuthServerSettings(try await RootAPIKey.presumed(given, options), dataFolder: options.dataFolder)
        let keyFiles = [settings.storage.keyFile, identity.rootKeyFile].compactMap { $0 }
        try RootAPIKey.checkApart(settings.node.apiKey, from: keyFiles, given, options)
        let log = StartupLogBuffer(level: settings.logLevel)
        let logger = log.logger("ostiary.serve")
        let sockets = try HandedSockets(environment: StorageOptions.environment, for: ["public", "private"])
        let shares = try ConnectionShares.ofThisProcess(settings.connections)
        let opened = try await ServerStorage.open(
            settings.storage, of: .authentication, in: options.dataFolder, identity, ownership: .exclusive, logger: logger)
        let (database, drain) = (opened.database, DrainSignal())
        let apiKey = try await RootAPIKey.ensured(given, options, in: database)
        let completed = try AuthServerSettings(apiKey.settings, dataFolder: options.dataFolder).node
        // Another key stood for that of a draft until now.
        try RootAPIKey.checkApart(completed.apiKey, from: keyFiles, given, options, draft: apiKey.draft)
        let node = try await AuthNode(
            settings: completed, database: database,
            keyEncryptionKey: opened.key, rootKey: try identity.rootKey(),
            secondFactor: HTTPSecondFactorTransport(url: settings.secondFactorURL), logger: logger, drain: drain,
            stepPatience: .told(in: .service("ostiary.serve", level: settings.logLevel)), clock: { .now })
        opened.keyIsProven()
        try await apiKey.settle(completed.apiKey, in: opened)
        let listeners = [
            Listener(
                "public", at: settings.listen, socket: sockets["public"], router: node.publicRouter,
                limits: .open(shares, listener: "public", logger: logger)),
            Listener(
                "private", at: settings.adminListen, socket: sockets["private"], router: node.adminRouter,
                limits: .reserved(shares, listener: "private", logger: logger), early: node.earlyAnswer),
        ]
        let hash = Base64URL.encode(node.identityHash)
        let noting = Mutex<Task<Void, Never>?>(nil)
        try await ServerRunner(logger: logger, drain: drain).run(listeners, services: node.background) { bound in
            log.open()
            do { try await node.applySettings() } catch {
                logger.error("name and logo of the settings are not applied: the next start does it", metadata: ["error": "\(database.told(error))"])
            }
            logger.notice("authentication server runs", metadata: .running(hash, bound, shares))
            apiKey.tell(logger)
            // Requests do not wait for it: of a standby that is away the commit does.
            noting.withLock { $0 = Task { await RootAPIKey.note(completed.apiKey, in: opened, logger) } }
        }
        let noted = noting.withLock { $0 }
        await noted?.value
        try await database.close()
    }
}
