import Foundation

/// Names and values that the REST API knows, out of its own document, and JSON of all shapes made of them.
struct APIWords: Sendable {
    let names: [String]
    private let seed: FuzzSeed

    private static let texts = [
        "", " ", "login", "enrol", "K7Q3", "https://shop.example/back", "/back", "javascript:alert(1)", "AAAAAAAAAAAAAAAAAAAAAA", "NO_BIOMETRICS",
        "STRICT_LINKS", "\u{202E}gnp.exe", "\u{0}", "💶", String(repeating: "x", count: 300), "../../etc/passwd", "' OR 1=1 --", "<script>", "%00",
        "true", "0",
    ]
    private static let numbers = ["0", "-1", "1", "300", "65536", "4294967296", "-9223372036854775808", "9223372036854775808", "1e400", "0.5", "NaN"]

    init(_ seed: FuzzSeed) throws {
        self.seed = seed
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/AuthServer/Pages/Assets/openapi.json")
        names = Self.properties(in: try JSONSerialization.jsonObject(with: Data(contentsOf: file))).sorted()
    }

    private static func properties(in value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(properties(in: $1)) } }
        guard let object = value as? [String: Any] else { return [] }
        let own = (object["properties"] as? [String: Any]).map { Set($0.keys) } ?? []
        return object.values.reduce(into: own) { $0.formUnion(properties(in: $1)) }
    }

    /// JSON, mostly an object with names that are known, sometimes damaged.
    func body() -> [UInt8] {
        let text = Array(object(depth: 0).utf8)
        return seed.chance(4) ? seed.mutate(text) : text
    }

    func text() -> String { seed.chance(8) ? String(decoding: seed.bytes(seed.below(30)), as: UTF8.self) : seed.pick(Self.texts) ?? "" }

    private func object(depth: Int) -> String {
        let members = (0..<seed.below(8)).map { _ in "\(quoted(seed.chance(6) ? text() : seed.pick(names) ?? "")):\(value(depth: depth + 1))" }
        return "{\(members.joined(separator: ","))}"
    }

    private func value(depth: Int) -> String {
        switch seed.below(depth > 4 ? 4 : 7) {
        case 0: quoted(text())
        case 1: seed.pick(Self.numbers) ?? "0"
        case 2: seed.pick(["true", "false", "null"]) ?? "null"
        case 3: quoted(seed.pick(names) ?? "")
        case 4: "[\((0..<seed.below(5)).map { _ in value(depth: depth + 1) }.joined(separator: ","))]"
        default: object(depth: depth)
        }
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 32: "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// A part of an address, mostly escaped.
    func escaped() -> String {
        let text = seed.chance(3) ? seed.pick(names) ?? "" : self.text()
        return text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
