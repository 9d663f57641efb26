// HTTPService: what each server needs and none owns.
//
// Owns: reading settings from environment and YAML, listening and draining, limits on what a stranger may send, JSON in and out, the one place
// where errors become answers, headers of pages, health, work that comes again and again.
// Leaves to others: which settings there are (each server declares its own), every route, every rule, every page, the database and its keys.
// Start reading with `Settings`, `ServerRunner`, `JSONWriter`, `JSONBody` and `ErrorResponse`.
//
//     let settings = try await Settings.load(SettingKey.authServer, environment: ProcessInfo.processInfo.environment)
//     let server = try AuthServerSettings(settings, dataFolder: DataFolder("./ostiary-data"))
//     let drain = DrainSignal()
//     let router = Router(context: ServiceRequestContext.self)
//     router.addServiceMiddleware(limits: .standard)
//     try await ServerRunner(logger: logger, drain: drain).run([Listener("public", at: server.listen, router: router)]) { bound in … }
