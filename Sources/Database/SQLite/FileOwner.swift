import Foundation

/// Whose a file is, for an operator who is root: what root makes no server of another user can write. It is told, and no file is given away: in a folder
/// that is another user's, that one may put any file of root's in its place.
enum FileOwner {
    /// In words; nil where there is nothing, and where this process is not root's.
    static func told(of path: String) -> String? {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0 else { return nil }
        let name = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountName] as? String
        return name ?? "the user \(status.st_uid)"
    }
}
