import Foundation

/// The line that a move has in the lock file of a database file, as long as it has that open: whoever comes meanwhile is told what holds it. One that was
/// killed leaves it, and of a target that holds nothing yet it is all that tells it from a database that was lost.
enum MoveNote: String {
    case source = "source of a move\n"
    case target = "target of a move\n"

    /// What is noted beside a database file, whether or not it is there.
    init?(at path: String) {
        guard let noted = FileLock.text(of: path + ".lock") else { return nil }
        self.init(rawValue: noted)
    }

    /// Looks whether a database that holds nothing is the target of a move, which has set no mark in it yet.
    /// - Throws: ``DatabaseOpenError/beingMoved(path:)``, ``DatabaseOpenError/unbegunMove(path:)``.
    static func check(_ path: String) throws(DatabaseOpenError) {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard MoveNote(at: file) == .target, holdsNothing(file) else { return }
        throw FileLock.isHeld(file + ".lock") ? .beingMoved(path: path) : .unbegunMove(path: path)
    }

    private static func holdsNothing(_ file: String) -> Bool {
        // One that is missing is made by a look.
        guard FileManager.default.fileExists(atPath: file) else { return true }
        do { try SQLiteDatabase.checkContent(.ours, at: file) } catch { return error == .empty(path: file) }
        return false
    }
}
