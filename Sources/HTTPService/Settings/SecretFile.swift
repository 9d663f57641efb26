import Foundation

/// Whether others can get at a file that holds a secret and that an operator, or what runs the container, has put there.
///
/// The owner's group may read it: that is how an orchestrator hands a secret to a process that is not root. Others may not, unless its folder lets
/// them not in. Key files of our own making have the stricter rule of ``KeyFile``.
enum SecretFile {
    /// What cannot be told is left to whoever opens the file.
    static func isOpenToOthers(_ path: String) -> Bool {
        // A mounted secret is a link into the folder that holds it.
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        guard let file = mode(of: String(cString: real)), file & (S_IROTH | S_IWOTH) != 0 else { return false }
        let folder = URL(fileURLWithPath: String(cString: real)).deletingLastPathComponent().path
        return mode(of: folder).map { $0 & S_IXOTH != 0 } ?? true
    }

    /// Why its text could not be read.
    static func reason(why error: any Error, at path: String) -> String {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            return "it is a folder: name the file in it"
        }
        return switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "there is no such file"
        case .fileReadNoPermission: "this user may not read it"
        default: "it holds no text"
        }
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }
}
