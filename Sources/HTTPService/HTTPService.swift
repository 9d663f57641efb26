// HTTPService: what each server needs and none owns.
//
// Owns: settings from environment and YAML, key files and the key-encryption key, listening and draining, limits on what a stranger may send,
// the one place where errors become answers, headers of pages, health.
// Leaves to others: every route, every rule, every page, the database.
// Start reading with `Settings`, `KeyEncryptionKey`, `ServerRunner` and `ErrorResponse`.
//
//     let settings = try await Settings.load(configFile: nil, environment: ProcessInfo.processInfo.environment)
//     let server = try AuthServerSettings(settings, dataFolder: DataFolder("./ostiary-data"))
//     let key = try KeyEncryptionKey.load(orMakeAt: server.storage.keyFile)
//     let drain = DrainSignal()
//     let router = Router(context: ServiceRequestContext.self)
//     router.addServiceMiddleware(limits: .standard)
//     try await ServerRunner(logger: logger, drain: drain).run([Listener("public", at: server.listen, router: router)]) { bound in … }
