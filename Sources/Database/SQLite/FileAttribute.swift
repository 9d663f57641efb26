import Foundation

/// An attribute by which a file system keeps a file or folder from everybody, root too, as `chattr` sets it.
enum FileAttribute: String {
    case immutable = "i"
    /// Of a file: it grows, and nothing of it is written over. Of a folder: nothing in it is removed or gets another name.
    case appendOnly = "a"

    /// The one that keeps this process from writing, whatever owner and mode say; nil where none does.
    static func inTheWay(of place: String) -> FileAttribute? {
        // Said of this attribute and of nothing else, to root too.
        guard access(place, W_OK) == 0 else { return errno == EPERM ? .immutable : nil }
        return isAppendOnly(place) ? .appendOnly : nil
    }

    /// What it keeps from all, and what takes it away.
    func words(on place: String) -> String {
        let word = shellWord(place)
        let kept = self == .immutable ? "change \(place)" : "change \(place) but by adding to it"
        return "an attribute lets nobody \(kept): look by lsattr -d \(word), and take it away by chattr -\(rawValue) \(word), as root"
    }

    /// Asked for where the file could not be opened for writing: with the descriptor go all locks of SQLite's that this process has on it.
    private static func isAppendOnly(_ place: String) -> Bool {
        #if os(Linux)
        // A pipe that nobody writes into would be waited for without end.
        let descriptor = open(place, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var flags = 0
        return ioctl(descriptor, getFlags, &flags) == 0 && flags & appendFlag != 0
        #else
        return false
        #endif
    }

    #if os(Linux)
    // FS_IOC_GETFLAGS and FS_APPEND_FL of linux/fs.h, which Swift does not see.
    private static let getFlags: UInt = 0x8008_6601
    private static let appendFlag = 0x20
    #endif
}
