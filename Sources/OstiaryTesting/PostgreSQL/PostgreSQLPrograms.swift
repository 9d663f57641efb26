import Foundation

/// The programs of a PostgreSQL that the system has installed, and how they are called: as nobody who may do everything, which the server refuses to be.
package struct PostgreSQLPrograms: Sendable {
    /// The folder that they are in.
    package let folder: String
    /// What stands before a command: for the superuser, a change to the user that the package has made.
    private let runner: [String]

    /// Nil where none is installed, in version 15 or later.
    package static let installed: PostgreSQLPrograms? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let found = versions.compactMap { Int($0) }.filter { $0 >= 15 }.sorted(by: >).map { "\(debian)/\($0)/bin" }
        let others = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]
        guard let folder = (found + others).first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else { return nil }
        guard geteuid() == 0 else { return PostgreSQLPrograms(folder: folder, runner: []) }
        guard getpwnam(user) != nil, FileManager.default.isExecutableFile(atPath: setpriv) else { return nil }
        return PostgreSQLPrograms(folder: folder, runner: [setpriv, "--reuid=\(user)", "--regid=\(user)", "--clear-groups"])
    }()

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
