import OstiaryTokens
import Yams

/// Why a text is not what is read here.
struct YAMLError: Error, Equatable, CustomStringConvertible {
    let line: Int
    let problem: String

    var description: String { "line \(line): \(problem)" }
}

/// Reads YAML as the JSON that it stands for. What readers of YAML take for different things (`yes`, `012`, `~`, a date) is refused by its line unless it
/// is in quotes, so that nothing is read in a way that was not meant. A text that begins with a brace is JSON.
struct YAMLReader {
    private static let mostDepth = 12
    /// With what aliases repeat.
    private static let mostValues = 100_000

    private var values = 0

    /// - Throws: ``YAMLError``.
    static func object(_ text: String) throws -> JSONObject {
        if text.first(where: { !$0.isWhitespace }) == "{" {
            do { return try JSONReader.object(Array(text.utf8)) } catch {
                let problem = error == .duplicateName ? "the file is JSON in which a name is there twice" : "the file begins as JSON and is none"
                throw YAMLError(line: 1, problem: problem)
            }
        }
        let root: Node?
        do { root = try compose(yaml: text) } catch let error as YamlError { throw YAMLError(error) }
        guard let root else { return JSONObject() }
        var reader = YAMLReader()
        guard case .object(let object) = try reader.value(root, depth: 0) else {
            throw YAMLError(line: root.line, problem: "a name, a colon and a value is wanted here")
        }
        return object
    }

    private mutating func value(_ node: Node, depth: Int) throws -> JSONValue {
        values += 1
        guard depth < Self.mostDepth else { throw YAMLError(line: node.line, problem: "is nested too deeply") }
        guard values <= Self.mostValues else { throw YAMLError(line: node.line, problem: "the file is too long") }
        switch node {
        case .scalar(let scalar): return try Self.value(scalar, of: node)
        case .sequence(let sequence): return .array(try sequence.map { try value($0, depth: depth + 1) })
        case .mapping(let mapping):
            var object = JSONObject()
            for (key, member) in mapping {
                guard let scalar = key.scalar, case .string(let name) = try Self.value(scalar, of: key) else {
                    throw YAMLError(line: key.line, problem: "a name is a text: put it in quotes")
                }
                object[name] = try value(member, depth: depth + 1)
            }
            return .object(object)
        case .alias: throw YAMLError(line: node.line, problem: "an alias stands for nothing")
        }
    }

    private static func value(_ scalar: Node.Scalar, of node: Node) throws -> JSONValue {
        guard scalar.style == .plain else { return .string(scalar.string) }
        switch scalar.string {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "": throw YAMLError(line: node.line, problem: "a value is missing")
        case let text:
            if let number = Int64(text), String(number) == text { return .integer(number) }
            guard node.any is String, !text.drop(while: { "+-".contains($0) }).allSatisfy(\.isNumber) else {
                throw YAMLError(line: node.line, problem: "“\(text)” is not the same to all readers: put it in quotes, or write true or false")
            }
            return .string(text)
        }
    }
}

extension Node {
    fileprivate var line: Int { mark?.line ?? 1 }
}

extension YAMLError {
    fileprivate init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            self.init(line: mark.line, problem: problem)
        case .duplicatedKeysInMapping(let names, let context):
            self.init(line: context.mark.line, problem: "is there twice: \(names.joined(separator: ", "))")
        case .reader(let problem, _, _, _): self.init(line: 1, problem: problem)
        default: self.init(line: 1, problem: "\(error)")
        }
    }
}
