/// Why a configuration cannot be used. Each is told to the operator as one line that names the key and what to do.
package enum SettingsError: Error, Equatable, Sendable {
    case unreadableFile(path: String, reason: String)
    case malformedFile(path: String, reason: String)
    case unknownKey(String, path: String)
    case missing(SettingKey)
    case invalid(SettingKey, reason: String)
    case unreadableSecret(SettingKey, path: String, reason: String)
    /// A secret was given both as a value and as a file.
    case givenTwice(SettingKey, SettingKey)
}

extension SettingsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadableFile(let path, let reason): "cannot read the configuration file \(path): \(reason)"
        case .malformedFile(let path, let reason): "the configuration file \(path) is not a flat YAML mapping: \(reason)"
        case .unknownKey(let key, let path):
            "unknown key \(key) in \(path)" + (SettingKey.nearest(to: key).map { ": did you mean \($0.rawValue)?" } ?? "")
        case .missing(let key): "\(key.variable) is not set: \(key.summary)"
        case .invalid(let key, let reason): "\(key.variable) (\(key.rawValue)): \(reason)"
        case .unreadableSecret(let key, let path, let reason): "\(key.variable): cannot read \(path): \(reason)"
        case .givenTwice(let first, let second): "\(first.variable) and \(second.variable) are both set: keep one"
        }
    }
}

extension SettingKey {
    /// The key that an operator probably meant: the same without a prefix, dashes or capitals, or one that shares its beginning.
    static func nearest(to text: String) -> SettingKey? {
        var plain = text.lowercased().replacing("-", with: "_").replacing(".", with: "_")
        if plain.hasPrefix("ostiary_") { plain.removeFirst("ostiary_".count) }
        return SettingKey(rawValue: plain) ?? allCases.first { $0.rawValue.hasPrefix(plain.prefix(6)) && plain.count >= 4 }
    }
}
