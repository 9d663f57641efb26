import AuthServer
import Database
import HTTPService
import OstiaryProgram

/// What to do about a file that a setting names, and that is kept from this process or not there.
extension SettingsError: StartAdvice {
    package var startAdvice: String {
        switch self {
        case .unreadableFile(let path, _): readingAdvice(of: path).map { "cannot read the configuration file \(path): \($0)" } ?? description
        case .unreadable(let key, let path, _):
            if let advice = readingAdvice(of: path) {
                "\(description): \(advice)"
            } else if key == .rootAPIKeyFile, KeyFile.isMissing(path) {
                "\(description): name the file that holds it; a new key is made by (umask 077; openssl rand -hex 32 >FILE), as the server's user"
            } else {
                description
            }
        default: description
        }
    }
}

extension SecretFileError {
    /// What an operator reads of the file at `path`, and does about it where it is kept from this process.
    func advised(at path: String) -> String {
        guard case .unreadable = self, let advice = readingAdvice(of: path) else { return words(at: path) }
        return "\(words(at: path)): \(advice)"
    }
}
