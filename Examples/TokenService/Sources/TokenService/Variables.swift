/// The settings, from environment variables (README.md).
struct Variables {
    struct Missing: Error { let name: String }
    struct Wrong: Error { let name: String }

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

    /// What commas separate.
    func list(_ name: String) throws -> [String] { try text(name).split(separator: ",").map(String.init) }
}
