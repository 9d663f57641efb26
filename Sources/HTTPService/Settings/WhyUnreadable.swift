import Foundation

/// Why a file that an operator has named could not be read, in the words of the system where we have none; nil where it can be opened, and what is in it is to
/// blame. What opens it is added by whoever starts the program: it takes names of users and more.
package func whyUnreadable(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return refusal(errno) }
    if status.st_mode & S_IFMT == S_IFDIR { return "it is a folder: name the file in it" }
    return access(path, R_OK) == 0 ? nil : refusal(errno)
}

/// - Parameter code: of the system call that has failed.
private func refusal(_ code: Int32) -> String {
    switch code {
    case ENOENT: "there is no such file"
    case EACCES: "this user may not read it"
    default: String(cString: strerror(code)).lowercased()
    }
}
