import Foundation

/// A shell that has a server, and takes it and its folder away when nobody speaks to the shell any more: when this object goes, and when this process
/// does, however that ends, also with the whole of its process group. On demand it has a standby beside the server, with which the server changes places.
final class ServerKeeper: Sendable {
    private let words: FileHandle
    private let answers: FileHandle

    /// Makes the server's files and starts it.
    /// - Parameters:
    ///   - settings: lines for its configuration, after our own.
    ///   - smallDisk: mebibytes of a disk that it has beside its folder.
    /// - Throws: ``PostgreSQLTrouble``.
    init(_ programs: PostgreSQLPrograms, _ folder: String, settings: [String], smallDisk: Int?) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PostgreSQLTrouble("no pipe") }
        // No program that a test starts keeps the server alive.
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        words = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        // In a session of its own: what ends a test's process group leaves it here to clear up.
        let arguments = [programs.folder, folder, settings.joined(separator: "\n")]
        let process = programs.shell(Self.script, arguments, inOwnSession: true, smallDisk: smallDisk)
        let output = Pipe()
        process.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        process.standardOutput = output
        try process.run()
        answers = output.fileHandleForReading
        try hearReady()
    }

    /// Starts the server anew, whether it runs or not.
    func restart() throws { try order("restart") }

    /// Copies the server as it runs, and starts the copy as its standby, in the other of its two places: the folder `standby` while no server was replaced. What was
    /// left there is removed. The server does not wait for it.
    func startStandby() throws { try order("standby") }

    /// Makes a server of the standby.
    func promoteStandby() throws { try order("promote") }

    /// Makes a server of the standby, which is the one from now on: it is started anew, and copied, and the place of the one before, which was ended, is free.
    func replaceServer() throws {
        try promoteStandby()
        try order("turn")
    }

    private func order(_ word: String) throws {
        try words.write(contentsOf: Data("\(word)\n".utf8))
        try hearReady()
    }

    private func hearReady() throws {
        guard answers.availableData == Data("ready\n".utf8) else { throw PostgreSQLTrouble("the server did not start") }
    }

    /// What is left of a server that was ended by force may still have its memory: then starting it is tried again.
    private static let script = """
        set -eu
        bin=$1 folder=$2 settings=$3
        main=$folder other=$2/standby
        stop() { [ ! -d "$1/data" ] || { goOn "$1"; "$bin/pg_ctl" -D "$1/data" -m "$2" -t 20 stop >/dev/null 2>&1; } || true; }
        goOn() { kill -CONT "$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)" 2>/dev/null || true; }
        trap 'stop "$folder/standby" immediate; stop "$folder" immediate; rm -rf "$folder"' EXIT
        trap '' INT HUP TERM
        start() {
            tries=0
            until "$bin/pg_ctl" -D "$1/data" -l "$1/log" -w -t 60 start >/dev/null 2>&1; do
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
        dynamic_shared_memory_type = mmap
        $settings
        END
        start "$folder"
        while read word; do
            case $word in
            restart)
                stop "$main" fast
                start "$main"
                ;;
            standby)
                rm -rf "$other/data"
                "$bin/pg_basebackup" -h "$main" -U ostiary -D "$other/data" -R -X stream -c fast --no-sync >"$folder/backup.log" 2>&1
                cat >>"$other/data/postgresql.conf" <<END
        unix_socket_directories = '$other'
        cluster_name = 'standby'
        END
                start "$other"
                ;;
            promote)
                "$bin/pg_ctl" -D "$other/data" -w -t 60 promote >/dev/null 2>&1
                echo ready
                ;;
            turn)
                last=$main
                main=$other
                other=$last
                echo ready
                ;;
            esac
        done
        """
}
