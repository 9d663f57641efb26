/// Why a configuration is not taken. Each names the key as the file has it.
public enum ConfigurationError: Error, Sendable, Hashable {
    /// Not a JSON object.
    case notAnObject
    case unknownKey(String)
    /// The value is not one of those that the key takes; `allowed` says which it takes.
    case badValue(key: String, allowed: String)
    /// Two names of one setting in the same file.
    case givenTwice(key: String, as: String)
    /// Ostiary does not have what this key asks for.
    case notSupported(key: String, because: String)
}

extension ConfigurationError: CustomStringConvertible {
    /// For the developer who wrote the file.
    public var description: String {
        switch self {
        case .notAnObject: "the configuration is not a JSON object"
        case .unknownKey(let key): "\(key): no such setting"
        case .badValue(let key, let allowed): "\(key): takes \(allowed)"
        case .givenTwice(let key, let other): "\(key): the same setting as \(other); give one of them"
        case .notSupported(let key, let reason): "\(key): \(reason)"
        }
    }
}
