// OstiaryTesting: what tests of several targets need, and later tests of apps.
//
// Owns: one phone that speaks AP1 by hand (`RawPhone`), the clock of servers and phones, which a test moves (`TestClock`), randomness that comes
// again (`SeededRandom` for keys and ids, `SplitMix` for draws), a thread for what computes long (`onOwnThread`), patience with a busy machine
// (`patientReadiness`), a folder that is gone with its test, PINs that cost nothing to stretch (`PINStretching.quick`), a log that can be read, a
// pipe that nobody reads, the date of an answer by Foundation (`FieldDate`), a socket on loopback, a server and a client of which a test writes
// every byte (`RawServer`, `RawClient`), one whose certificate nobody vouches for,
// and databases that behave as badly as a database may: `RerunningDatabase` runs each body twice, `LosingDatabase` does not know what became of a
// commit; `SchemaTemplate` has databases whose schema is made, on each engine (`DatabaseEngine`); `CountingDatabase` and `PageLog` count what is asked of
// a database and what it writes; `RefusingFile` is one whose writes the system refuses, so that commits fail;
// `SourceTexts` says what the sources of a target do with a table. And a real PostgreSQL of the tests' own (`PostgreSQLCluster`, of the system or of `PostgreSQLPrograms.variable`) that can be killed, have a standby and run full, with a
// socket before it that cuts connections and is slow (`CuttingSocket`), one that is a pooler (`PoolingSocket`), and somebody who has locked a table (`TableHolder`).
// `History/` says of what many callers saw whether any order of their calls explains it.
// Leaves to others: every expectation, every other server, and every transport. It knows no testing library (`OstiaryTestTraits` does); what it finds it
// hands to whoever made it.
// Start reading here, then `RawPhone`, then `RerunningDatabase`.
//
//     let phone = try RawPhone("alice's")
//     let asked = try phone.ask(phone.question(), of: secondFactor, phone.ephemeral(), at: clock.now)
//
//     let database = RerunningDatabase(try SQLiteDatabase.inMemory()) { Issue.record("\($0)") }
//     let losing = LosingDatabase(database, .each(.kept))
//
//     await recorder.watch("phone 3 at A", session, .stop) { try await stop(session); return .over }
//     let faults = OrderSearch(AliveUntilStopped()).faults(in: recorder.calls)
