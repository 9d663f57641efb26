import Foundation

/// A shell that has a server, and takes it and its folder away when nobody speaks to the shell any more: when this object goes, and when this process
/// does, however that ends.
final class ServerKeeper: Sendable {
    private let words: FileHandle
    private let answers: FileHandle

    /// Makes the server's files and starts it.
    /// - Throws: ``PostgreSQLTrouble``.
    init(_ programs: PostgreSQLPrograms, _ folder: String) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PostgreSQLTrouble("no pipe") }
        // No program that a test starts keeps the server alive.
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        words = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        let process = programs.shell(Self.script, [programs.folder, folder])
        let output = Pipe()
        process.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        process.standardOutput = output
        try process.run()
        answers = output.fileHandleForReading
        try hearReady()
    }

    /// Starts the server anew, whether it runs or not.
    func restart() throws {
        try words.write(contentsOf: Data("restart\n".utf8))
        try hearReady()
    }

    private func hearReady() throws {
        guard answers.availableData == Data("ready\n".utf8) else { throw PostgreSQLTrouble("the server did not start") }
    }

    /// What is left of a server that was ended by force may still have its memory: then starting it is tried again.
    private static let script = """
        set -eu
        bin=$1 folder=$2
        trap '"$bin/pg_ctl" -D "$folder/data" -m immediate -t 20 stop >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
        trap '' INT HUP TERM
        start() {
            tries=0
            until "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 start >/dev/null 2>&1; do
                tries=$((tries + 1))
                [ $tries -lt 100 ] || exit 1
                sleep 0.1
            done
            echo ready
        }
        "$bin/initdb" -D "$folder/data" -U ostiary -A trust -E UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1
        cat >>"$folder/data/postgresql.conf" <<END
        listen_addresses = ''
        unix_socket_directories = '$folder'
        max_connections = 400
        shared_buffers = 64MB
        max_wal_size = 256MB
        autovacuum = off
        END
        start
        while read word; do
            "$bin/pg_ctl" -D "$folder/data" -m fast -t 20 stop >/dev/null 2>&1 || true
            start
        done
        """
}
