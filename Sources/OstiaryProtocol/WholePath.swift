import Foundation

/// A path from the root on, so that a command with it does the same in whatever folder a person pastes it, and one place has one name. Links stay, and so does
/// what goes up (`..`): behind a link that is another folder than its name says.
/// - Parameter folder: where a relative path begins: that of the process.
package func wholePath(_ path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
    let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
    return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}
