/// Why a configuration cannot be used. Each is told to the operator as one line that names the key and what to do.
package enum SettingsError: Error, Equatable, Sendable {
    case unreadableFile(path: String, reason: String)
    case malformedFile(path: String, reason: String)
    case unknownKey(String, meant: SettingKey?, path: String)
    /// A key that does not exist, and that is not repeated because it might be the API key.
    case unnamedKey(line: Int?, meant: SettingKey?, path: String)
    /// A key that has others inside.
    case nestedKey(String, path: String)
    /// A variable that begins as ours do and is none.
    case unknownVariable(String, meant: String?)
    /// A file with a secret in it that others can read or write.
    case readableByOthers(SettingKey, path: String)
    /// A file that is a secret, and that others can read or write.
    case openSecret(SettingKey, path: String)
    /// A secret that can be guessed.
    case weakSecret(SettingKey)
    /// What has no default and is not set, at least one.
    case missing([SettingKey])
    case invalid(SettingKey, reason: String)
    /// The file that a setting names.
    case unreadable(SettingKey, path: String, reason: String)
    /// A secret was given both as a value and as a file.
    case givenTwice(SettingKey, SettingKey)
}

extension SettingsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadableFile(let path, let reason): "cannot read the configuration file \(path): \(reason)"
        case .malformedFile(let path, let reason): "the configuration file \(path) is not a flat YAML mapping: \(reason)"
        case .unknownKey(let key, let meant, let path):
            "unknown key \(key) in \(path)" + (meant.map { ": did you mean \($0.name)?" } ?? "")
        case .unnamedKey(let line, let meant, let path):
            "unknown key in \(line.map { "line \($0) of " } ?? "")\(path): "
                + (meant.map { "did you mean \($0.name)?" } ?? "a line begins with a name that docs/operations.md lists, and a colon")
        case .nestedKey(let key, let path):
            "\(key) in \(path): keys do not nest; each stands at the beginning of a line, as docs/operations.md lists them"
        case .unknownVariable(let name, let meant):
            "unknown variable \(name)" + (meant.map { ": did you mean \($0)?" } ?? ": unset it, or correct its name")
        case .readableByOthers(let key, let path):
            "others can read or write \(path), which holds \(key.name): run chmod o-rwx \(path) or close its folder to others, and change the key if they "
                + "may have read it"
        case .openSecret(let key, let path):
            "\(key.variable): others can read or write \(path): run chmod o-rwx \(path) or close its folder to others, mount it with mode 0440 where a "
                + "container brings it, and change the secret if they may have read it"
        case .weakSecret(let key): "\(key.variable): an API key holds at least 128 random bits; make one with openssl rand -hex 32"
        case .missing(let keys): keys.map { "\($0.variable) is not set: \($0.summary)" }.joined(separator: "; and ")
        case .invalid(let key, let reason): "\(key.variable) (\(key.name)): \(reason)"
        case .unreadable(let key, let path, let reason): "\(key.variable): cannot read \(path): \(reason)"
        case .givenTwice(let first, let second): "\(first.variable) and \(second.variable) are both set: keep one"
        }
    }
}
