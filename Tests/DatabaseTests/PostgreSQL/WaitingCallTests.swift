import Dispatch
import Foundation
import OstiaryTesting
import Synchronization
import Testing

@testable import Database

@Suite("PostgreSQL: calls that wait", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct WaitingCallTests {
    private static func hasty(callTime: Int, connections: Int = 1) -> PostgreSQLSettings {
        var settings = PostgreSQLSettings.forTests
        (settings.connections, settings.callTime) = (connections, callTime)
        return settings
    }

    /// Somebody has the one connection for as long as `body` goes on.
    private static func whileHeld<Value>(_ database: PostgreSQLDatabase, _ body: () async throws -> Value) async throws -> Value {
        let patient = database.patient
        let (inside, enter) = AsyncStream.makeStream(of: Void.self)
        let leave = DispatchSemaphore(value: 0)
        async let holder: Void = patient.read { connection -> Void in
            _ = try connection.query("SELECT 1 AS one")
            enter.finish()
            leave.wait()
        }
        for await _ in inside {}
        let value: Value
        do {
            defer { leave.signal() }
            value = try await body()
        }
        try await holder
        return value
    }

    @Test("Whoever waits for a connection is told when its own time is over, while the one that has it is still at work; what was not begun never is")
    func behindOthers() async throws {
        try await PostgreSQLDatabase.lend(settings: Self.hasty(callTime: 200)) { database in
            let (patient, runs) = (database.patient, Runs())
            let late = try await Self.whileHeld(database) {
                // Some at once, and then again, behind others whose time is over.
                for count in [8, 1, 3] { #expect(await Self.refusals(of: count, in: database, runs) == Array(repeating: .busy, count: count)) }
                return Task { try await patient.read { _ in _ = runs.begin() } }
            }
            try await late.value
            #expect(runs.count == 1)
        }
    }

    @Test("A write is told in its time, also while commits are suspected: neither it nor the question before it is begun", arguments: [false, true])
    func writes(areSuspected: Bool) async throws {
        try await PostgreSQLDatabase.lend(settings: Self.hasty(callTime: 200)) { database in
            let (patient, runs) = (database.patient, Runs())
            try await Self.whileHeld(database) {
                if areSuspected { database.commits.note() }
                await #expect(throws: SQLError.busy) { try await database.transaction { _ in _ = runs.begin() } }
                // Nobody has heard that they end.
                #expect(database.commits.areSuspected == areSuspected)
            }
            try await patient.transaction { _ in _ = runs.begin() }
            #expect(runs.count == 1 && !database.commits.areSuspected)
        }
    }

    @Test("Nor does a thread that hangs while it makes a connection keep anybody: its call and all behind it are told, and it goes on when it can")
    func behindHangingThread() async throws {
        let cluster = try await PostgreSQLCluster()
        let (name, folder, runs) = (try await cluster.makeDatabase(), try TemporaryFolder(), Runs())
        let port = try await cluster.listen(pem: TLSServer.pem)
        var address = PostgreSQLAddress(hosts: [.init("localhost", port: port)], database: name, user: "ostiary")
        (address.isVerified, address.rootCertificates) = (true, try folder.write(TLSServer.certificate, to: "root.pem"))
        let database = try await onOwnThread { [address] in try PostgreSQLDatabase.open(address, settings: Self.hasty(callTime: 500)) }
        // libpq waits for whoever writes there, as for a file system or a name service that does not answer, beyond any time.
        let pipe = folder.file("root.pem")
        try FileManager.default.removeItem(atPath: pipe)
        try #require(mkfifo(pipe, 0o600) == 0)
        let hanging = Hanging()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await onOwnThread {
                    let writer = open(pipe, O_WRONLY)
                    hanging.writer.withLock { $0 = writer }
                }
            }
            var isLast = false
            while !isLast {
                isLast = hanging.writer.withLock { $0 != nil }
                #expect(await Self.refusals(of: 3, in: database, runs) == [.unavailable, .unavailable, .unavailable])
            }
        }
        let writer = try #require(hanging.writer.withLock { $0 })
        _ = unlink(pipe)
        _ = try folder.write(TLSServer.certificate, to: "root.pem")
        close(writer)
        while (try? await database.patient.read({ _ in _ = runs.begin() })) == nil { try Task.checkCancellation() }
        #expect(runs.count == 1)
        await database.close()
    }

    @Test("One that gets no connection after its call was refused hands nothing on to those who have one: nobody is told twice")
    func besideConnected() async throws {
        let cluster = try await PostgreSQLCluster()
        let (name, folder, runs) = (try await cluster.makeDatabase(), try TemporaryFolder(), Runs())
        let port = try await cluster.listen(pem: TLSServer.pem)
        var address = PostgreSQLAddress(hosts: [.init("localhost", port: port)], database: name, user: "ostiary")
        (address.isVerified, address.rootCertificates) = (true, try folder.write(TLSServer.certificate, to: "root.pem"))
        let database = try await onOwnThread { [address] in
            try PostgreSQLDatabase.open(address, settings: Self.hasty(callTime: 500, connections: 2))
        }
        let (inside, enter) = AsyncStream.makeStream(of: Void.self)
        let leave = DispatchSemaphore(value: 0)
        async let holder: Void = database.patient.read { connection -> Void in
            _ = try connection.query("SELECT 1 AS one")
            enter.finish()
            leave.wait()
        }
        for await _ in inside {}
        let pipe = folder.file("root.pem")
        try FileManager.default.removeItem(atPath: pipe)
        try #require(mkfifo(pipe, 0o600) == 0)
        async let writer = onOwnThread { open(pipe, O_WRONLY) }
        // The first is with the thread that hangs, the others wait for that of the holder.
        #expect(await Self.refusals(of: 3, in: database, runs) == [.busy, .busy, .busy])
        // The end of the pipe is no certificate.
        close(await writer)
        while database.refusal == nil { await Task.yield() }
        _ = unlink(pipe)
        _ = try folder.write(TLSServer.certificate, to: "root.pem")
        leave.signal()
        try await holder
        try await database.patient.read { _ in _ = runs.begin() }
        #expect(runs.count == 1)
        await database.close()
    }

    @Test("When it is looked is set by whoever waits the shortest; one who finds out for all and is not heard leaves that to the next")
    func looks() {
        var state = ConnectionThreads.State()
        state.restraint = 64
        let (first, second) = (Deadline(milliseconds: 60_000), Deadline(milliseconds: 90_000))
        let set = [Deadline.never, second, second, first, second].map { state.newLook(by: $0) }
        #expect(set == [nil, second, nil, first, nil])
        state.waiting = [Self.job(by: second), Self.job(by: .never)]
        // That of the second was called for before the first came.
        let next = [second, first].map { state.nextLook(after: $0) }
        #expect(next == [nil, second])
        let early = state.takeOverdue()
        #expect(early.isEmpty && state.waiting.count == 2 && state.standing == .answers && state.restraint == 64)
        state.waiting = []
        let last = state.nextLook(after: second)
        #expect(last == nil && state.look == .never)

        state.standing = .silent
        state.waiting = [state.taking(Self.job(by: Deadline(milliseconds: 0))), state.taking(Self.job(by: second))]
        #expect(state.standing == .asked)
        let late = state.takeOverdue()
        #expect(late.count == 1 && state.waiting.count == 1 && state.standing == .silent)
        // Nor is it left to those who have a connection and no time.
        #expect(state.restraint == 0)
    }

    private static func job(by deadline: Deadline) -> ConnectionJob { ConnectionJob(by: deadline, run: { _ in {} }, refuse: { _ in }) }

    /// What each of so many calls at once came to, nil for well.
    private static func refusals(of number: Int, in database: any Database, _ runs: Runs) async -> [SQLError?] {
        await withTaskGroup { group in
            for _ in 0..<number {
                group.addTask { () -> SQLError? in
                    do { try await database.read { _ in _ = runs.begin() } } catch { return error as? SQLError }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// A thread that reads out of a pipe for as long as nobody lets go of its other end.
private final class Hanging: Sendable {
    /// That end, once the thread reads.
    let writer = Mutex<Int32?>(nil)
}
