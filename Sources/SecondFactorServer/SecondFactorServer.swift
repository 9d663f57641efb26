// SecondFactorServer: the rules of SecondFactor over HTTP and SQL.
//
// Owns: the routes that an authentication server calls, the SQL of instances and attempts, this server's own identity and its rotation,
// evaluation keys at rest (Keys/), the rows (SQL/), what an operator does at the machine.
// Leaves to others: every rule (SecondFactor), every byte on the wire (OstiaryProtocol), listening, limits and health (HTTPService).
// Start reading at Wiring/SecondFactorNode.swift, then SF/SecondFactorRoutes.swift, which asks the domain's SecondFactorService.
//
//     let database = try openDatabase(DatabaseURL(parsing: settings.storage.databaseURL))
//     let node = try await SecondFactorNode(
//         settings: SecondFactorNodeSettings(trustedRoots: settings.trustedServers, policy: settings.policy),
//         database: database, keyEncryptionKey: key, logger: logger, drain: drain, clock: clock)
//     try await ServerRunner(logger: logger, drain: drain).run(
//         [Listener("private", at: settings.listen, router: node.router)], services: node.background)
