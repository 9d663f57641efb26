import Foundation

/// The programs of a PostgreSQL, and how they are called: as nobody who may do everything, which the server refuses to be.
package struct PostgreSQLPrograms: Sendable {
    /// The folder that they are in.
    package let folder: String
    /// What stands before a command: for the superuser, a change to the user that the package has made.
    private let runner: [String]

    private init(folder: String) throws(PostgreSQLTrouble) {
        self.folder = folder
        guard geteuid() == 0 else {
            runner = []
            return
        }
        guard getpwnam(Self.user) != nil, FileManager.default.isExecutableFile(atPath: Self.setpriv) else {
            throw PostgreSQLTrouble("root runs no PostgreSQL without \(Self.setpriv) and the user \(Self.user)")
        }
        runner = [Self.setpriv, "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"]
    }

    /// Of an environment variable: a folder of programs, which are taken and no others (`make test-postgresql`).
    package static let variable = "OSTIARY_TEST_POSTGRESQL"

    /// Whether the tests of this process are to run on the programs that ``variable`` names.
    static var areNamed: Bool { named != nil }
    private static let named = ProcessInfo.processInfo.environment[variable]

    /// Those of this process. Nil where none were named and none are installed; a failure where what was named is none: tests that were to run on one version
    /// run on no other.
    static let chosen = Result<PostgreSQLPrograms?, any Error> { try choose(named: named, installed: installed) }

    /// - Parameters:
    ///   - named: the folder that ``variable`` says; nil where it is not set.
    ///   - installed: where to look otherwise, in this order.
    /// - Throws: ``PostgreSQLTrouble``, where a folder was named and tests cannot run on what is there.
    package static func choose(named: String?, installed: [String]) throws(PostgreSQLTrouble) -> PostgreSQLPrograms? {
        guard let named else { return installed.first(where: hasServer).flatMap { try? PostgreSQLPrograms(folder: $0) } }
        // Programs are started in another folder than this one.
        guard named.hasPrefix("/"), hasServer(named) else {
            throw PostgreSQLTrouble(
                "\(variable) is to be the absolute path of a folder with the programs of a PostgreSQL: there is no initdb in “\(named)”")
        }
        let programs = try PostgreSQLPrograms(folder: named)
        guard programs.canRun else {
            throw PostgreSQLTrouble(
                "\(variable): the programs in \(named) cannot be run; where tests are root's, the user \(user) must be let into all folders above")
        }
        return programs
    }

    /// Where one may be installed: Debian's in version 15 or later, the newest first; then elsewhere, in whatever version.
    private static var installed: [String] {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let found = versions.compactMap { Int($0) }.filter { $0 >= 15 }.sorted(by: >).map { "\(debian)/\($0)/bin" }
        return found + ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]
    }

    private static func hasServer(_ folder: String) -> Bool { FileManager.default.isExecutableFile(atPath: folder + "/initdb") }

    private var canRun: Bool {
        let process = shell("exec \"$1/postgres\" --version >/dev/null", [folder])
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static let debian = "/usr/lib/postgresql"
    private static let setpriv = "/usr/bin/setpriv"
    private static let unshare = "/usr/bin/unshare"
    /// Where a small disk is, for its server alone.
    static let smallDisk = "/mnt"
    private static let setsid = "/usr/bin/setsid"
    private static let user = "postgres"

    /// A process that is to run a shell's script.
    /// - Parameters:
    ///   - inOwnSession: whether no signal to a group of ours reaches it, where the system has a program for that.
    ///   - smallDisk: mebibytes of a file system of its own, which it alone sees, at ``smallDisk``; nil for none.
    func shell(_ script: String, _ arguments: [String], inOwnSession: Bool = false, smallDisk: Int? = nil) -> Process {
        let process = Process()
        let session = inOwnSession && FileManager.default.isExecutableFile(atPath: Self.setsid) ? [Self.setsid, "--wait"] : []
        let command = session + (smallDisk.map(mounting) ?? []) + runner + ["/bin/sh", "-c", script, "sh"] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        return process
    }

    private func mounting(_ size: Int) -> [String] {
        let owner = getpwnam(Self.user)?.pointee.pw_uid ?? geteuid()
        let script = "mount -t tmpfs -o \"size=$1m,mode=700,uid=$2\" none \(Self.smallDisk) && shift 2 && exec \"$@\""
        return [Self.unshare, "-m", "/bin/sh", "-c", script, "sh", "\(size)", "\(owner)"]
    }

    /// Whether this machine lets a test have a file system of its own.
    static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: unshare)
        process.arguments = ["-m", "/bin/sh", "-c", "mount -t tmpfs none \(smallDisk)"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Makes a folder theirs.
    func take(_ folder: String) throws {
        guard !runner.isEmpty, let entry = getpwnam(Self.user) else { return }
        guard chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else { throw PostgreSQLTrouble("the folder cannot be given away") }
    }
}

/// What kept a test from having a PostgreSQL.
package struct PostgreSQLTrouble: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
