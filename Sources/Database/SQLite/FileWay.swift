import Foundation

/// What is in the way to a file, other than a right that is wanting (``WritingRight``): a link that leads nowhere or in a circle, a file where a folder is
/// to be.
enum FileWay {
    /// What it is, and what an operator does about it; nil where there is no such thing.
    static func trouble(to path: String) -> String? {
        trouble(above: path) ?? whole(path).flatMap { trouble(at: $0, isFolder: false) }
    }

    /// The same of the folders above it alone.
    static func trouble(above path: String) -> String? {
        whole(path).flatMap { folders(above: $0).lazy.compactMap { trouble(at: $0, isFolder: true) }.first }
    }

    /// What is in the place of a file and is none: a pipe, at which whoever opens it may wait without end, a socket or a device. A folder and a link are told
    /// elsewhere.
    /// - Parameter followsLinks: false of what is opened by no link.
    static func stranger(at place: String, followsLinks: Bool = true) -> String? {
        var status = stat()
        guard (followsLinks ? stat(place, &status) : lstat(place, &status)) == 0 else { return nil }
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFIFO: kind = "pipe"
        case S_IFSOCK: kind = "socket"
        case S_IFCHR, S_IFBLK: kind = "device"
        default: return nil
        }
        return "\(place) is a \(kind), and a file is to be there: move it away"
    }

    /// From the root on.
    static func folders(above path: String) -> [String] {
        sequence(first: path) { $0 == "/" ? nil : folder(of: $0) }.dropFirst().reversed()
    }

    static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// From the root on. Nil for one that goes up (`..`): behind a link that is another folder than its name says.
    static func whole(_ path: String) -> String? {
        path.split(separator: "/").contains("..") ? nil : URL(fileURLWithPath: path).standardizedFileURL.path
    }

    private static func trouble(at place: String, isFolder: Bool) -> String? {
        var status = stat()
        guard stat(place, &status) != 0 else {
            guard isFolder, status.st_mode & S_IFMT != S_IFDIR else { return nil }
            return "\(place) is a file, and a folder is to be there: mend the path"
        }
        switch errno {
        case ELOOP:
            return "the links behind \(place) lead in a circle (namei \(shellWord(place)) shows them): mend them, or name what they are to lead to"
        case ENOENT:
            guard let target = LinkTarget.of(place) else { return nil }
            let (kind, step) = isFolder ? ("folder", "make it") : ("file", "put it back")
            return "\(place) is a link to \(target), and there is no such \(kind): mount the disk that it is on, or \(step)"
        default: return nil
        }
    }
}
