import Database
import Foundation
import Synchronization

/// A PostgreSQL of the tests' own: in a folder of its own, spoken to by a Unix socket in it and by nothing else, and gone with this process however that
/// ends. A shell beside it waits for that end.
package final class PostgreSQLCluster: Sendable {
    private let programs: PostgreSQLPrograms
    /// All of it is in there; at first it is the place of the server, too.
    package let folder: String
    private let keeper: ServerKeeper
    private let names = Mutex((count: 0, left: [String]()))
    /// Whether the server is the one in the folder `standby`.
    private let isTurned = Mutex(false)
    /// That of ``listen(pem:)``, which nobody else is given while it starts anew, nor later.
    private let reserved = Mutex<LoopbackSocket?>(nil)

    private static let made = Task { try await PostgreSQLCluster() }

    /// The one of this process, in which each test has databases of its own.
    package static var shared: PostgreSQLCluster { get async throws { try await made.value } }

    /// Whether there is to be one. Where programs were named that are none, every test that wants one fails, and none is left out.
    package static var isInstalled: Bool {
        switch PostgreSQLPrograms.chosen {
        case .success(let programs): programs != nil
        case .failure: true
        }
    }

    /// Whether a test may have a disk of its own; mounting takes rights.
    package static var canHaveSmallDisk: Bool { isInstalled && PostgreSQLPrograms.canMount }

    /// - Parameters:
    ///   - settings: lines for its configuration.
    ///   - smallDisk: mebibytes of a disk that it has for the tablespace `small`, where one can be had (``canHaveSmallDisk``).
    /// - Throws: ``PostgreSQLTrouble``.
    package init(settings: [String] = [], smallDisk: Int? = nil) async throws {
        guard let programs = try PostgreSQLPrograms.chosen.get() else { throw PostgreSQLTrouble("no PostgreSQL is installed (make setup)") }
        let folder = Self.place + "/ostiary-pg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try programs.take(folder)
        (self.programs, self.folder) = (programs, folder)
        keeper = try await onOwnThread { try ServerKeeper(programs, folder, settings: settings, smallDisk: smallDisk) }
        if PostgreSQLPrograms.areNamed { try await tellVersion() }
        if smallDisk != nil { try await run(["CREATE TABLESPACE small LOCATION '\(PostgreSQLPrograms.smallDisk)'"]) }
    }

    /// Says on standard error which PostgreSQL this is, in the server's own word: `scripts/test-postgresql` counts no run that was on another.
    private func tellVersion() async throws {
        let script = """
            version=$("$1/psql" -X -A -t -h "$2" -U ostiary -d postgres -c 'SHOW server_version') || exit 1
            printf 'PostgreSQL of the tests: %s in %s\\n' "$version" "$1" >&2
            """
        try await shell(script, [programs.folder, folder])
    }

    private static let memory = "/dev/shm"

    /// In memory where there is room: there nothing waits for a disk.
    private static var place: String {
        let room = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? NSNumber
        let isRoomy = (room ?? 0).int64Value > 2 << 30 && FileManager.default.isWritableFile(atPath: memory)
        return isRoomy ? memory : FileManager.default.temporaryDirectory.path
    }

    /// A database of it, as the superuser or another role, or through a socket in another folder.
    package func address(of database: String, as role: String = "ostiary", socket: String? = nil) -> PostgreSQLAddress {
        PostgreSQLAddress(hosts: [PostgreSQLAddress.Host(socket ?? serverFolder)], database: database, user: role)
    }

    /// Makes a database, empty or like another.
    /// - Parameters:
    ///   - template: which nobody has open.
    ///   - options: what follows in the statement.
    package func makeDatabase(like template: String = "template1", options: String = "") async throws -> String {
        let (name, left) = names.withLock { names in
            defer { names = (names.count + 1, []) }
            return ("test\(names.count)", names.left)
        }
        // Those that tests have left go now: one program is started and not two.
        let drops = left.map { "DROP DATABASE IF EXISTS \($0) WITH (FORCE)" }
        // File by file a third faster than through its log, but for the disk that each file would wait for.
        let way = folder.hasPrefix(Self.memory) ? "STRATEGY file_copy" : ""
        try await run(drops + ["CREATE DATABASE \(name) TEMPLATE \(template) \(way) \(options)"])
        return name
    }

    /// A database that is not asked for any more.
    package func leave(_ database: String) { names.withLock { $0.left.append(database) } }

    /// Writes to a file what a database holds at this moment, as its operator does while servers have it open.
    package func dump(_ database: String, to path: String) async throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let script = "exec \"$1/pg_dump\" -h \"$2\" -U ostiary \"$3\""
        try await shell(script, [programs.folder, serverFolder, database], output: file)
        try file.close()
    }

    /// Makes a database of what was written so.
    package func restore(from path: String) async throws -> String {
        let database = try await makeDatabase()
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let script = "exec \"$1/psql\" -X -q -1 -f - -v ON_ERROR_STOP=1 -h \"$2\" -U ostiary -d \"$3\" >/dev/null"
        try await shell(script, [programs.folder, serverFolder, database], input: file)
        try file.close()
        return database
    }

    /// Runs statements outside a transaction, by the program of that engine.
    /// - Parameters:
    ///   - place: of the server that is asked; nil for the one that takes writes.
    ///   - isQuiet: whether what it says of one that fails is of no use.
    package func run(_ statements: [String], in database: String = "postgres", at place: String? = nil, isQuiet: Bool = false) async throws {
        let arguments = [programs.folder, place ?? serverFolder, database] + statements.flatMap { ["-c", $0] }
        let script = "bin=$1 folder=$2 name=$3; shift 3; exec \"$bin/psql\" -X -q -h \"$folder\" -U ostiary -d \"$name\" \"$@\" >/dev/null"
        try await shell(script, arguments, isQuiet: isQuiet)
    }

    /// Ends the server as a crash does. Its other processes go when they notice.
    package func kill() throws { try kill(in: serverFolder) }

    /// The same, and waits until the last of its processes has gone: nobody is answered by it any more, as by a machine that is turned off. Whoever promotes
    /// another needs that, since a process that notices late may still answer a question out of what is old by then.
    package func killWhole() async throws {
        let place = serverFolder
        #if os(Linux)
        // Else it would be waited for nothing.
        guard !Self.processes(in: place).isEmpty else { throw PostgreSQLTrouble("the processes of the server are not found") }
        #endif
        try kill(in: place)
        while !Self.processes(in: place).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Each process of a server works in the folder of its data. None where the system has no `/proc`.
    private static func processes(in folder: String) -> [pid_t] {
        let data = URL(fileURLWithPath: folder + "/data").resolvingSymlinksInPath().path
        let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
        return numbers.filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")) == data }
    }

    /// The same of the standby.
    package func killStandby() throws { try kill(in: otherFolder) }

    private func kill(in folder: String) throws {
        guard Foundation.kill(try process(in: folder), SIGKILL) == 0 else { throw PostgreSQLTrouble("the server cannot be ended") }
    }

    private func process(in folder: String) throws -> pid_t {
        let text = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ Int32($0) }), process > 1 else { throw PostgreSQLTrouble("no server runs") }
        return process
    }

    /// Halts the server with all of its processes: it takes connections, as the system does for it, and says nothing more, for the time of `body`.
    package func halted<Value>(_ body: () async throws -> Value) async throws -> Value {
        let look = try await open("postgres")
        let question = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        let found = try await look.read { try $0.query(question).map { pid_t(try $0.int("pid")) } }
        await look.close()
        // The first of them first, so that it starts no others.
        let all = [try process(in: serverFolder)] + found
        for process in all { Foundation.kill(process, SIGSTOP) }
        defer { for process in all { Foundation.kill(process, SIGCONT) } }
        return try await body()
    }

    /// Starts it again on what it left.
    package func restart() async throws { try await onOwnThread { [keeper] in try keeper.restart() } }

    /// Uses the room that is left on the disk of the tablespace `small`, by a file beside it: rows would fill the memory of the server as well, and keep it
    /// from doing what makes room.
    /// - Throws: ``PostgreSQLTrouble`` when there is room all the same.
    package func fillSmallDisk() async throws {
        let more = "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 1000000)) TO '\(Self.filler)'"
        guard (try? await run([more], isQuiet: true)) == nil else { throw PostgreSQLTrouble("the small disk is too large") }
    }

    /// Gives that room back.
    package func emptySmallDisk() async throws { try await run(["COPY (SELECT 1 WHERE false) TO '\(Self.filler)'"]) }

    private static let filler = PostgreSQLPrograms.smallDisk + "/filler"

    /// Where the socket of the standby is, until it has replaced the server.
    package var standbyFolder: String { folder + "/standby" }

    /// Both places of the server and its standby, as a URL has them that is to find whichever takes writes.
    package var folders: [String] { [folder, standbyFolder] }

    /// Where the server is now that takes writes, and its socket: in one of ``folders``.
    package var serverFolder: String { isTurned.withLock { $0 } ? standbyFolder : folder }

    /// The other one: of its standby, when there is one.
    package var otherFolder: String { isTurned.withLock { $0 } ? folder : standbyFolder }

    /// Starts a standby.
    /// - Parameter isSynchronous: whether a commit waits from now on until the standby has it, too.
    package func startStandby(isSynchronous: Bool) async throws {
        try await onOwnThread { [keeper] in try keeper.startStandby() }
        // Only now: the copy must wait for nobody when it is the server.
        if isSynchronous { try await awaitStandby() }
    }

    /// From now on a commit waits for the standby.
    package func awaitStandby() async throws {
        try await change("synchronous_standby_names", to: "standby")
        try await run([Self.wait(until: "EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming')")])
    }

    /// From now on the standby hears nothing of the server, which must not wait for it: it lacks what is committed afterwards, also when it is promoted.
    package func deafenStandby() async throws {
        try await run(["ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()"], at: otherFolder)
        try await run([Self.wait(until: "NOT EXISTS (SELECT 1 FROM pg_stat_replication)")])
    }

    private static func wait(until condition: String) -> String {
        """
        DO $$ BEGIN LOOP
            PERFORM pg_sleep(0.1); PERFORM pg_stat_clear_snapshot();
            EXIT WHEN \(condition);
        END LOOP; END $$
        """
    }

    /// Makes a server of the standby; the one before was ended.
    package func promoteStandby() async throws { try await onOwnThread { [keeper] in try keeper.promoteStandby() } }

    /// The same for good: all that is done here is done with that one from now on, and the next standby is made in the place of the one before.
    package func replaceServer() async throws {
        try await onOwnThread { [keeper] in try keeper.replaceServer() }
        isTurned.withLock { $0.toggle() }
    }

    /// Whether a server answers there, and is no standby.
    package func takesWrites(at place: String) async -> Bool {
        (try? await run(["DO $$ BEGIN ASSERT NOT pg_is_in_recovery(); END $$"], at: place, isQuiet: true)) != nil
    }

    /// Changes a setting of the server as it runs. Every connection has it then.
    package func change(_ setting: String, to value: String) async throws {
        try await run(["ALTER SYSTEM SET \(setting) = '\(value)'", "SELECT pg_reload_conf()"])
        // Who connects now has it from the first of its processes, which has told all others.
        let isThere = "DO $$ BEGIN ASSERT current_setting('\(setting)') = '\(value)'; END $$"
        while (try? await run([isThere], isQuiet: true)) == nil { try Task.checkCancellation() }
    }

    /// From now on this user is asked for its password.
    package func demandPasswords(of user: String) async throws {
        let script = """
            printf 'local all %s scram-sha-256\\nlocal all all trust\\n' "$3" >"$2/data/pg_hba.conf"; "$1/pg_ctl" -D "$2/data" reload >/dev/null
            """
        try await shell(script, [programs.folder, serverFolder, user])
    }

    /// Has it heard over TCP on loopback too, by TLS and not otherwise. Its socket moves to the same port.
    /// - Parameter pem: its key and its certificate.
    /// - Returns: the port.
    package func listen(pem: String) async throws -> UInt16 {
        let socket = try LoopbackSocket(listens: false)
        let port = socket.port
        #if !canImport(Darwin)
        // There nobody may bind beside it, and the port is only likely to stay free.
        reserved.withLock { $0 = socket }
        #endif
        let script = """
            umask 077; printf %s "$4" >"$2/data/server.pem"
            cat >>"$2/data/postgresql.conf" <<END
            listen_addresses = '127.0.0.1, 127.0.0.2'
            port = $3
            ssl = on
            ssl_cert_file = 'server.pem'
            ssl_key_file = 'server.pem'
            END
            printf 'hostssl all all 127.0.0.0/8 trust\\nlocal all all trust\\n' >"$2/data/pg_hba.conf"
            """
        try await shell(script, [programs.folder, serverFolder, "\(port)", pem])
        try await restart()
        return port
    }

    /// - Parameters:
    ///   - input: what the script reads.
    ///   - output: what it writes to; nil for where this process writes.
    private func shell(
        _ script: String, _ arguments: [String], isQuiet: Bool = false, input: FileHandle = .nullDevice, output: FileHandle? = nil
    ) async throws {
        let process = programs.shell(script, arguments)
        if isQuiet { process.standardError = FileHandle.nullDevice }
        process.standardInput = input
        if let output { process.standardOutput = output }
        let status = try await onOwnThread {
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        guard status == 0 else { throw PostgreSQLTrouble("a program of PostgreSQL ended with \(status)") }
    }
}
