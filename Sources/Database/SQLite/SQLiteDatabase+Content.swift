import Foundation
import GRDB

extension SQLiteDatabase {
    /// Looks whether a file that is there holds what it must. Changes nothing of it: it may be somebody else's.
    /// - Throws: ``DatabaseOpenError/empty(path:)``, ``DatabaseOpenError/notOurs(path:)``, ``DatabaseOpenError/unfinishedMove(path:source:target:)``, and what
    ///   opening throws.
    static func checkContent(_ content: DatabaseContent, at path: String, besideServer: Bool = false) throws(DatabaseOpenError) {
        if content == .any { return }
        let found = try tables(at: path, besideServer: besideServer)
        if let source = found.move {
            if content == .nothingOrMoved { return }
            throw .unfinishedMove(path: path, source: source, target: DatabaseURL.sqlite(path: path).text)
        }
        if found.isEmpty, content != .ours { return }
        guard !found.isEmpty else { throw .empty(path: path) }
        guard found.isOurs else { throw .notOurs(path: path) }
    }

    /// Whether there is nothing, whether a table is that in which `migrate` counts its steps, and from where a move comes that has not come to its end.
    private static func tables(at path: String, besideServer: Bool) throws(DatabaseOpenError) -> (isEmpty: Bool, isOurs: Bool, move: String?) {
        do {
            return try looking(at: path) { database in
                let objects = try String.fetchAll(database, sql: SQLCatalogue.sqlite.objects)
                let columns = try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM pragma_table_info('schema_version') WHERE name IN ('number', 'name')")
                let move = try database.tableExists(UnfinishedMove.table) ? String.fetchOne(database, sql: UnfinishedMove.question) ?? "" : nil
                return (isEmpty: objects.isEmpty, isOurs: columns == 2, move: move)
            }
        } catch let error as DatabaseOpenError {
            throw error
        } catch let error as GRDB.DatabaseError {
            throw DatabaseOpenError(error, path: path, besideServer: besideServer)
        } catch {
            throw .cannotOpen(path: path, reason: "\(error)")
        }
    }

    /// Nil also where there is no file, and none is made, and of one with a second name: a server may have it open by that, and by this one SQLite would
    /// begin another log.
    static func firstStep(at path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0, status.st_nlink == 1 else { return nil }
        return try? looking(at: path) { try String.fetchOne($0, sql: StepTables.firstQuestion) }
    }

    /// Looks at a file by a connection that ends with that. Not by the writer's configuration, which makes a log beside it. One that is there is only read:
    /// whoever may write and closes last folds it into the file and removes it. Nor is one opened that this process may not write: SQLite would leave files beside
    /// it that nobody may.
    private static func looking<Value>(at path: String, _ look: (GRDB.Database) throws -> Value) throws -> Value {
        try DatabaseFile.checkKinds(of: path)
        guard access(path, F_OK) != 0 || access(path, R_OK | W_OK) == 0 else {
            throw DatabaseOpenError.cannotOpen(path: path, reason: makingReason(errno, of: path))
        }
        let queue = try DatabaseQueue(path: path, configuration: hasLog(path) ? .reader() : .base())
        defer { try? queue.close() }
        return try queue.unsafeRead(look)
    }

    /// Whether there is a log beside the file, with something in it.
    static func hasLog(_ path: String) -> Bool {
        var status = stat()
        return stat(path + "-wal", &status) == 0 && status.st_size > 0
    }
}
