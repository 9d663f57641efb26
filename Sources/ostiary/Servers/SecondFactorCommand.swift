import ArgumentParser
import AuthServer
import Database
import Foundation
import HTTPService
import Logging
import OstiaryProgram
import OstiaryProtocol
import SecondFactorServer

/// `ostiary second-factor`: the server that counts PIN attempts and knows nothing else.
struct SecondFactorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "second-factor",
        _superCommandName: "ostiary",
        abstract: "Run the second-factor server.",
        discussion: """
            Settings are environment variables, OSTIARY_LOG_LEVEL and those that begin with OSTIARY_SF_, or keys of --config: see \
            docs/operations.md.
            """,
        subcommands: [SecondFactorReset.self])

    @OptionGroup var options: StorageOptions
    @OptionGroup var identity: IdentityOptions
    @OptionGroup var parent: ParentOptions

    func run() async throws {
        try await StartFailure.told(by: "ostiary second-factor") {
            parent.watch()
            let settings = try await options.settings()
            if identity.printIdentity { return try await ToldFault.telling(.command) { try await printIdentity(settings) } }
            try await ToldFault.telling(.start) { try await serve(try SecondFactorServerSettings(settings, dataFolder: options.dataFolder)) }
        }
    }

    private func printIdentity(_ settings: Settings) async throws {
        let storage = try StorageSettings.secondFactorServer(settings, dataFolder: options.dataFolder)
        let opened = try await ServerStorage.open(
            storage, of: .secondFactor, in: options.dataFolder, identity, ownership: .shared, needsStandby: try settings.isHighlyAvailable())
        let keeper = SecondFactorOperator(
            database: opened.database, logger: .service("ostiary.second-factor", level: .error), stepPatience: .told(by: "ostiary second-factor"))
        let text = try await keeper.identityText(keyEncryptionKey: opened.key, rootSeed: try identity.rootSeed(), at: .now)
        opened.keyIsProven()
        try await opened.database.close()
        try StandardStreams.deliver(text)
    }

    private func serve(_ settings: SecondFactorServerSettings) async throws {
        let log = StartupLogBuffer(level: settings.logLevel)
        let logger = log.logger("ostiary.second-factor")
        let sockets = try HandedSockets(environment: StorageOptions.environment, for: ["private", "health"])
        let shares = try ConnectionShares.ofThisProcess(settings.connections)
        let opened = try await ServerStorage.open(
            settings.storage, of: .secondFactor, in: options.dataFolder, identity, ownership: .exclusive,
            needsStandby: settings.isHighlyAvailable, logger: logger)
        let (database, drain) = (opened.database, DrainSignal())
        let began = ContinuousClock.now
        let node = try await SecondFactorNode(
            settings: SecondFactorNodeSettings(
                trustedRoots: settings.trustedServers, policy: settings.policy, rootSeed: try identity.rootSeed(),
                needsStandby: settings.isHighlyAvailable, resetDays: settings.resetDays),
            database: database, keyEncryptionKey: opened.key, logger: logger, drain: drain,
            stepPatience: .told(in: .service("ostiary.second-factor", level: settings.logLevel)),
            steady: { UInt64(clamping: began.duration(to: .now).components.seconds) }, clock: { .now })
        opened.keyIsProven()
        var listeners = [
            Listener(
                "private", at: settings.listen, socket: sockets["private"], router: node.router,
                limits: .open(shares, listener: "private", logger: logger))
        ]
        if settings.adminListen != nil || sockets["health"] != nil {
            listeners.append(
                Listener(
                    "health", at: settings.adminListen ?? ListenAddress(host: "127.0.0.1", port: 0), socket: sockets["health"],
                    router: node.healthRouter, limits: .reserved(shares, listener: "health", logger: logger)))
        }
        let hash = Base64URL.encode(node.identityHash)
        try await ServerRunner(logger: logger, drain: drain).run(listeners, services: node.background) { bound in
            log.open()
            logger.notice("second-factor server runs", metadata: .running(hash, bound, shares))
        }
        try await database.close()
    }
}
