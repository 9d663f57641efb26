extension Database {
    /// Does what may wait for the lock of the steps, and has it told for as long as it waits. The one who waits has its connection for that: another asks who is
    /// in the way, and where nobody is, as in a step that works for long, there is nothing to tell.
    /// - Parameter isShort: whether it does nothing else that takes long: then it waits, also where nobody can be asked.
    func tellingWaits<Value: Sendable>(by patience: StepPatience, isShort: Bool, _ work: () async throws -> Value) async throws -> Value {
        guard let tell = patience.tell, let question = dialect.programs?.waits else { return try await work() }
        let (place, sleep) = (place, patience.sleep)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var number = 0
                while true {
                    do { try await sleep(StepWaitTimes.distance(number)) } catch { return }
                    number += 1
                    let found = try? await self.read { try $0.query(question).map(WaitedSession.init) }
                    guard !Task.isCancelled else { return }
                    if let wait = StepWait(found, isShort: isShort, at: place) { tell(wait) }
                }
            }
            return try await work()
        }
    }
}

/// One of those for whom a connection of this program waits, and the table for which it does (``ProgramStatements/waits``).
private struct WaitedSession: Sendable {
    let session: HoldingSession
    let table: String

    init(_ row: SQLRow) throws {
        session = HoldingSession(pid: try row.int("session"), program: try row.text("program"))
        table = try row.text("waited")
    }
}

extension StepWait {
    /// Nil where nothing is waited for, as far as one can know.
    /// - Parameter found: nil where nobody could be asked.
    fileprivate init?(_ found: [WaitedSession]?, isShort: Bool, at place: String) {
        guard let found else {
            guard isShort else { return nil }
            self = .locked(table: "schema_version", by: [], place: place)
            return
        }
        guard let table = found.first?.table else { return nil }
        self = .locked(table: table, by: found.filter { $0.table == table }.map(\.session), place: place)
    }
}
