import Foundation
import GRDB

extension SQLiteDatabase {
    /// Opens a database file, which is made with mode 0600 if it is missing, together with its folder.
    ///
    /// Blocks while it checks the file: for the start of a program, not for a request.
    /// - Parameters:
    ///   - path: the file; `PATH-wal`, `PATH-shm` and `PATH.lock` lie beside it.
    ///   - ownership: whether a second server is kept away.
    ///   - content: what must be in the file already; one that holds something else is left as it is.
    ///   - readers: connections for reading; more than the machine has cores bring nothing.
    package static func open(
        path: String, ownership: DatabaseOwnership = .exclusive, content: DatabaseContent = .any,
        readers: Int = ProcessInfo.processInfo.activeProcessorCount
    ) throws(DatabaseOpenError) -> SQLiteDatabase {
        try open(path: path, ownership: ownership, content: content, readers: readers, note: nil)
    }

    /// The same of a move.
    /// - Parameter note: what it is to it.
    static func open(path: String, content: DatabaseContent, note: MoveNote) throws(DatabaseOpenError) -> SQLiteDatabase {
        try open(path: path, ownership: .exclusive, content: content, readers: ProcessInfo.processInfo.activeProcessorCount, note: note)
    }

    private static func open(
        path: String, ownership: DatabaseOwnership, content: DatabaseContent, readers: Int, note: MoveNote?
    ) throws(DatabaseOpenError) -> SQLiteDatabase {
        try DatabaseFile.checkSides(of: path)
        let formerSize = size(of: path)
        let path = try prepareFile(at: path)
        let formerPlace = note == .target ? TargetPlace(path, formerSize: formerSize) : nil
        // Whoever is refused here leaves the empty file: somebody else may have it.
        let lock: ProcessLock?
        switch ownership {
        case .exclusive: lock = try ProcessLock(databasePath: path)
        case .shared:
            try ProcessLock.checkName(ofDatabaseAt: path)
            lock = nil
        }
        let place = lock.flatMap { formerPlace?.reading($0) }
        do { return try openLocked(path, lock, content, readers, note, place) } catch {
            if let lock { place?.undo(under: lock) }
            throw error
        }
    }

    /// - Parameter lock: nil for a command beside a server.
    private static func openLocked(
        _ path: String, _ lock: ProcessLock?, _ content: DatabaseContent, _ readers: Int, _ note: MoveNote?, _ formerPlace: TargetPlace?
    ) throws(DatabaseOpenError) -> SQLiteDatabase {
        let isClean = CleanStop.isNoted(at: path)
        // A server beside this one has seen to its log itself, at its start.
        let hasLeftLog = hasLog(path) && (lock != nil || !FileLock.isHeld(path + ".lock"))
        // The first that is there of a file that was made just now.
        if size(of: path) == 0, let note { lock?.note(note.rawValue) }
        let isBeside = lock == nil
        try checkContent(content, at: path, besideServer: isBeside)
        try closeToOthers(path)
        // It is noted again when this one is closed in order.
        lock?.note(note?.rawValue ?? "")
        do {
            let writer = try openWriter(of: path, isClean: isClean, hasLeftLog: hasLeftLog)
            let reading = try (0..<max(1, readers)).map { _ in try reader(of: path) }
            return SQLiteDatabase(writer: writer, source: .readers(SQLiteReaders(reading)), path: path, lock: lock, formerPlace: formerPlace)
        } catch let error as GRDB.DatabaseError {
            throw DatabaseOpenError(error, path: path, besideServer: isBeside)
        } catch let error as DatabaseOpenError {
            throw error
        } catch {
            throw .cannotOpen(path: path, reason: "\(error)")
        }
    }

    /// The one connection for writing, of a file that was looked at as far as is needed.
    private static func openWriter(of path: String, isClean: Bool, hasLeftLog: Bool) throws -> SQLiteHandle {
        let queue = try DatabaseQueue(path: path, configuration: .writer())
        try queue.writeWithoutTransaction { database in
            do {
                try makeDurable(database, path: path)
                if !isClean { try check(database, path: path) }
            } catch {
                // Its own log goes with it, as before: a backup that is put in the place of the file must not find one.
                if !hasLeftLog { try? SQLiteConnection.leaveLog(false, to: database.sqliteConnection) }
                throw error
            }
        }
        let writer = SQLiteHandle(queue)
        guard hasLeftLog else { return writer }
        do { try writer.foldLeftLog() } catch let error as SQLError { throw DatabaseOpenError(error, ofLogAt: path) }
        return writer
    }

    /// A connection for reading, which leaves it to ``SQLiteReaders`` to wait for other processes.
    static func reader(of path: String) throws -> SQLiteHandle {
        SQLiteHandle(try DatabaseQueue(path: path, configuration: .reader()), waits: false)
    }

    /// A database that lives as long as the value does, for tests: same statements, same transactions, nothing on disk.
    /// - Parameter other: another one in memory, for what it holds now.
    package static func inMemory(copying other: SQLiteDatabase? = nil) throws(DatabaseOpenError) -> SQLiteDatabase {
        do {
            let queue = try DatabaseQueue(configuration: .base())
            if case .onlyConnection(let handle) = other?.source { try handle.copy(to: queue) }
            let handle = SQLiteHandle(queue)
            return SQLiteDatabase(writer: handle, source: .onlyConnection(handle), lock: nil)
        } catch let error as GRDB.DatabaseError {
            throw DatabaseOpenError(error, path: "in memory")
        } catch {
            throw .cannotOpen(path: "in memory", reason: "\(error)")
        }
    }

    /// Makes folder and file where they are missing, readable by the owner only.
    /// - Returns: the path without symbolic links, so that one file has one lock.
    private static func prepareFile(at path: String) throws(DatabaseOpenError) -> String {
        let url = URL(fileURLWithPath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .cannotOpen(path: path, reason: folderReason(error, of: path))
        }
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: makingReason(errno, of: path)) }
        Foundation.close(descriptor)
        return url.resolvingSymlinksInPath().path
    }

    /// A file that others may read, such as a copy that was put back, is closed to them, and so are its side files; new ones get the mode of the file
    /// from SQLite. Not before it is known whose file it is: what is not ours is left as it is.
    private static func closeToOthers(_ path: String) throws(DatabaseOpenError) {
        for file in [path, path + "-wal", path + "-shm"] where isOpenToOthers(file) {
            guard chmod(file, 0o600) == 0 else {
                guard let attribute = FileAttribute.inTheWay(of: file) else { throw .openToOthers(path: file) }
                throw .cannotOpen(path: path, reason: attribute.words(on: file))
            }
        }
    }
}

/// Bytes; nil where there is no such file.
private func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
}

/// Whether a file that is there can be read or written by anybody but its owner. A folder in its place is none, and stays as it is.
private func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR && status.st_mode & 0o077 != 0
}

extension DatabaseOpenError {
    /// Why a log that was left beside the file cannot be relied on.
    fileprivate init(_ error: SQLError, ofLogAt path: String) {
        self =
            switch error.damage(of: path) ?? error {
            case .damaged(_, let reason): .corrupt(path: path, reason: reason)
            case .diskFails(_, let reason):
                .cannotOpen(
                    path: path,
                    reason: "the disk does not keep the log that was left beside it (\(reason)): look at the system's log, at quota, disk and "
                        + "mount, then try again")
            default: .cannotOpen(path: path, reason: "the log that was left beside it: \(error.brief)")
            }
    }

    /// - Parameter besideServer: whether whoever opens it may work beside a running server.
    init(_ error: GRDB.DatabaseError, path: String, besideServer: Bool = false) {
        let reason = error.message ?? "no detail"
        self =
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt(path: path, reason: reason)
            case .SQLITE_FULL: .cannotOpen(path: path, reason: "\(reason): free some space there, then try again")
            case .SQLITE_IOERR where FileSizeLimit.refusal(near: path) != nil:
                .cannotOpen(path: path, reason: "\(FileSizeLimit.words(FileSizeLimit.bytes)): raise that limit, then try again")
            case .SQLITE_IOERR: .cannotOpen(path: path, reason: Self.words(ofDisk: reason, at: path))
            case .SQLITE_BUSY, .SQLITE_LOCKED: .heldByAnotherProcess(path: path, besideServer: besideServer)
            case .SQLITE_READONLY:
                .cannotOpen(
                    path: path,
                    reason: "\(reason): \(Self.right(at: path) ?? "this user must be allowed to write to the file and to its folder")")
            case .SQLITE_CANTOPEN, .SQLITE_PERM: .cannotOpen(path: path, reason: Self.right(at: path).map { "\(reason): \($0)" } ?? reason)
            default: .cannotOpen(path: path, reason: reason)
            }
    }

    /// What is found need not be why.
    private static func words(ofDisk reason: String, at path: String) -> String {
        let look = "look whether the disk or a quota is full, or the disk fails; then try again"
        return right(at: path).map { "\($0). If this is not why (\(reason)), \(look)" } ?? "\(reason): \(look)"
    }

    private static func right(at path: String) -> String? { WritingRight(ofDatabaseAt: path)?.advice }
}
