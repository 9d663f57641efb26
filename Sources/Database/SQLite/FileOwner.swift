import Foundation

/// Whose a file is, for an operator, as one who is root: what root makes no server of another user can write. It is told, and no file is given away: in a
/// folder that is another user's, that one may put any file of root's in its place.
enum FileOwner {
    /// In words; nil where there is nothing, and where this process is not root's.
    static func told(of path: String) -> String? {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0 else { return nil }
        return words(of: status.st_uid)
    }

    /// A user, as an operator is told.
    static func words(of user: uid_t) -> String { name(of: user) ?? "the user \(user)" }

    /// The system's own name of a user; nil where it has none.
    static func name(of user: uid_t) -> String? {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
            guard getpwuid_r(user, &entry, room.baseAddress!, room.count, &found) == 0, let name = found?.pointee.pw_name else { return nil }
            return String(cString: name)
        }
    }
}
