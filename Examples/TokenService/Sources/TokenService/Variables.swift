/// The settings, from environment variables (README.md).
struct Variables {
    struct Missing: Error, CustomStringConvertible {
        let name: String

        var description: String { "\(name) is not set (README.md has all settings)" }
    }

    struct Wrong: Error, CustomStringConvertible {
        let name: String
        var why = "is not what it has to be"

        var description: String { "\(name) \(why) (README.md has all settings)" }
    }

    private let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    /// Nil where it is not set, or empty.
    func optional(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    func text(_ name: String) throws -> String {
        guard let value = optional(name) else { throw Missing(name: name) }
        return value
    }

    func number(_ name: String, or usual: Int) throws -> Int {
        guard let text = optional(name) else { return usual }
        guard let number = Int(text), number > 0 else { throw Wrong(name: name) }
        return number
    }

    /// What is made of the file that a setting names.
    func file<Value>(_ name: String, _ read: (String) throws -> Value) throws -> Value {
        let path = try text(name)
        do { return try read(path) } catch { throw Wrong(name: name, why: "names a file that cannot be used: \(path), \(error)") }
    }

    /// What commas separate.
    func list(_ name: String) throws -> [String] { try text(name).split(separator: ",").map(String.init) }
}
