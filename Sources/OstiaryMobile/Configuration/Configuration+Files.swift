import Foundation
import OstiaryProtocol

extension Ostiary.Configuration {
    /// A configuration from a JSON object whose keys are those of the reference page; what it leaves out has its default.
    public init(json: Data) throws(ConfigurationError) {
        guard let values = try? JSONDecoder().decode([String: ConfigurationValue].self, from: json) else { throw .notAnObject }
        try self.init(values) { $0 }
    }

    /// A configuration from the `NA…` entries of a property list, such as an app's Info.plist. Entries whose name does not begin with `NA` and a
    /// capital belong to somebody else and are left alone.
    public init(propertyList: [String: Any]) throws(ConfigurationError) {
        let ours = propertyList.filter { entry in entry.key.hasPrefix("NA") && entry.key.dropFirst(2).first?.isUppercase == true }
        try self.init(ours.mapValues { ConfigurationValue(propertyList: $0) }, name: ConfigurationKey.propertyListName)
    }

    /// `name` makes of a key's name the one that this kind of file has.
    private init(_ values: [String: ConfigurationValue], name: (String) -> String) throws(ConfigurationError) {
        self.init()
        var rest = values
        for key in ConfigurationKey.all {
            let given = key.names.map(name).compactMap { name in rest.removeValue(forKey: name).map { (name, $0) } }
            guard let (name, value) = given.first else { continue }
            if given.count > 1 { throw .givenTwice(key: given[1].0, as: name) }
            try set(key, to: value, named: name)
        }
        if let unknown = rest.keys.min() { throw .unknownKey(unknown) }
    }

    private mutating func set(_ key: ConfigurationKey, to value: ConfigurationValue, named name: String) throws(ConfigurationError) {
        switch (key.kind, value) {
        case (.flag(let path), .flag(let flag)): self[keyPath: path] = flag
        case (.duration(let path), .text(let text)):
            guard let duration = DurationText.parse(text) else { throw .badValue(key: name, allowed: key.kind.allowed) }
            self[keyPath: path] = duration
        case (.duration(let path), .number(0)): self[keyPath: path] = .zero
        case (.count(let path, let range), .number(let number)) where range.contains(number): self[keyPath: path] = number
        case (.label(let path), .text(let text)) where WireText.allows(text, cap: 256): self[keyPath: path] = text
        case (.pathPrefix(let path), .text(let text)) where text.hasPrefix("/"): self[keyPath: path] = text
        case (.only(let flag), .flag(let given)) where flag == given: break
        case (.withoutEffect(isFlag: true), .flag), (.withoutEffect(isFlag: false), .text): break
        case (.refused, _): throw .notSupported(key: name, because: key.summary)
        default: throw .badValue(key: name, allowed: key.kind.allowed)
        }
    }
}

extension ConfigurationKey.Kind {
    /// What the key takes, for an error and for the reference page.
    var allowed: String {
        switch self {
        case .flag, .withoutEffect(isFlag: true): "true or false"
        case .duration: "a duration such as \"5m\", \"1h30m\" or \"2160h\" (units h, m, s, ms), or \"0\""
        case .count(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .label: "a text of at most 256 bytes"
        case .pathPrefix: "a path that begins with /"
        case .only(let flag): "\(flag) only"
        case .withoutEffect(isFlag: false): "a text"
        case .refused: "nothing"
        }
    }
}

/// A value as a file has it.
enum ConfigurationValue: Sendable, Hashable, Decodable {
    case flag(Bool)
    case number(Int)
    case text(String)
    /// A list, an object, a fraction, nothing: no setting takes these.
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .other
        }
    }

    init(propertyList value: Any) {
        self =
            switch value {
            case let flag as Bool: .flag(flag)
            case let number as Int: .number(number)
            case let text as String: .text(text)
            default: .other
            }
    }
}
