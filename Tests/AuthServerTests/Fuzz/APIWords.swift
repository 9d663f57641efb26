import Foundation

/// Values for the REST API and the pages: mostly such as the call at hand takes, sometimes JSON of all shapes, sometimes damaged.
struct APIWords: Sendable {
    private let seed: FuzzSeed
    /// Values that mean something where they are sent, by the name of the member.
    private let real: [String: [String]]

    private static let texts = [
        "", " ", "login", "enrol", "K7Q3", "https://shop.example/back", "/back", "javascript:alert(1)", "AAAAAAAAAAAAAAAAAAAAAA", "NO_BIOMETRICS",
        "STRICT_LINKS", "\u{202E}gnp.exe", "\u{0}", "💶", String(repeating: "x", count: 300), "../../etc/passwd", "' OR 1=1 --", "<script>", "%00",
        "true", "0",
    ]
    private static let numbers = ["0", "-1", "1", "300", "65536", "4294967296", "-9223372036854775808", "9223372036854775808", "1e400", "0.5", "NaN"]
    /// What members of one name have in common, whoever is there.
    private static let usual: [String: [String]] = [
        "accountid": ["AAAAAAAAAAAAAAAAAAAAAA"], "apis": ["https://api.example/things", "urn:a"], "appandroid": ["com.example.app"],
        "appios": ["123456"], "appurl": ["com.example.app:/"], "backchannel_client_notification_endpoint": ["https://shop.example/ping"],
        "backchannel_logout_uri": ["https://shop.example/logout"], "cancelurl": ["/back", "https://shop.example/"], "client_id": ["shop", "shop-1"],
        "client_name": ["Shop"], "client_uri": ["https://shop.example"], "clientid": ["shop", "shop-1"], "code": ["K7Q3", "0000"],
        "color": ["", "#1f5f66"], "colordark": [""], "email": ["alice@example.com"], "frameorigins": ["https://shop.example"],
        "identifier": ["https://api.example/things"], "info": ["Amount"], "ip": ["192.0.2.7"], "logo": [""], "name": ["Alice", "Ärger & Söhne"],
        "permissions": ["https://api.example/things"], "picture": ["https://shop.example/a.png"],
        "post_logout_redirect_uris": ["https://shop.example/bye"], "redirect_uris": ["https://shop.example/cb"],
        "returncode": ["AAAAAAAAAAAAAAAAAAAAAA"], "returnurl": ["/back", "https://shop.example/welcome"], "role": ["clerk"], "roles": ["clerk"],
        "scopes": ["read", "write"], "serves": ["https://api.example/things"], "siteurl": ["https://shop.example"], "user_id": ["alice"],
        "userid": ["alice"], "users": ["alice", "bob"], "applications": ["shop", "shop-1"], "wsurl": [""],
    ]

    /// - Parameter real: what takes the place of the usual values.
    init(_ seed: FuzzSeed, real: [String: [String]] = [:]) {
        self.seed = seed
        self.real = Self.usual.merging(real) { _, new in new }
    }

    /// A body of this form. Half of them are right in every member that they have; in the others some are of another type or unknown, and a few are damaged.
    func body(_ schema: APISchema) -> [UInt8] {
        let isRight = seed.chance(2)
        let text = Array(value(of: schema, named: "", isRight: isRight, depth: 0).utf8)
        return !isRight && seed.chance(5) ? seed.mutate(text) : text
    }

    /// A body with no form at all.
    func body() -> [UInt8] {
        let text = Array(object(depth: 0).utf8)
        return seed.chance(4) ? seed.mutate(text) : text
    }

    /// The query of a call, with its `?`.
    func query(_ parameters: [APISchema.Member]) -> String {
        let isRight = seed.chance(2)
        var pairs = parameters.filter { $0.isRequired ? !seed.chance(8) : seed.chance(2) }.map { parameter in
            "\(parameter.name)=\(isRight ? Self.escaped(plain(parameter)) : escaped())"
        }
        if !isRight, seed.chance(4) { pairs.append("\(escaped())=\(escaped())") }
        return pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))"
    }

    /// As a query has it, without quotes.
    private func plain(_ parameter: APISchema.Member) -> String {
        switch parameter.value {
        case .choice(let choices): seed.pick(choices) ?? ""
        case .integer(let range): number(in: range)
        case .boolean: seed.chance(2) ? "true" : "false"
        case .text, .anything, .object, .array: name(parameter.name)
        }
    }

    private func value(of schema: APISchema, named name: String, isRight: Bool, depth: Int) -> String {
        if !isRight, seed.chance(5) { return value(depth: depth) }
        switch schema {
        case .choice(let choices): return quoted(seed.pick(choices) ?? "")
        case .integer(let range): return number(in: range)
        case .boolean: return seed.chance(2) ? "true" : "false"
        case .text: return quoted(isRight || seed.chance(2) ? self.name(name) : text())
        case .anything: return isRight ? "{}" : object(depth: depth + 1)
        case .array(let element):
            // Two that are the same are refused.
            let elements = Set((0..<seed.below(3)).map { _ in value(of: element, named: name, isRight: isRight, depth: depth + 1) })
            return "[\(elements.sorted().joined(separator: ","))]"
        case .object(let members, let others):
            var parts = members.filter { $0.isRequired ? isRight || !seed.chance(8) : seed.chance(4) }.map { member in
                "\(quoted(member.name)):\(value(of: member.value, named: member.name, isRight: isRight, depth: depth + 1))"
            }
            if let others, seed.chance(2) { parts += self.others(others, named: name, isRight: isRight, depth: depth + 1) }
            if !isRight, seed.chance(6) { parts.append("\(quoted(text())):\(value(depth: depth + 1))") }
            return "{\(parts.joined(separator: ","))}"
        }
    }

    /// A member whose name is somebody's or something's. Below those of APIs stand scopes.
    private func others(_ schema: APISchema, named name: String, isRight: Bool, depth: Int) -> [String] {
        let inner = ["apis", "permissions"].contains(name) ? "scopes" : name == "info" || name == "scopes" ? "name" : name
        return ["\(quoted(self.name(name))):\(value(of: schema, named: inner, isRight: isRight, depth: depth + 1))"]
    }

    private func name(_ member: String) -> String { seed.pick(real[member] ?? ["x", "Example 1.0"]) ?? "" }
    private func number(in range: ClosedRange<Int>) -> String {
        let near = range.lowerBound + seed.below(min(1_000, range.upperBound - range.lowerBound) + 1)
        return String(seed.pick([range.lowerBound, range.upperBound, near, near]) ?? near)
    }

    func text() -> String { seed.chance(8) ? String(decoding: seed.bytes(seed.below(30)), as: UTF8.self) : seed.pick(Self.texts) ?? "" }

    private func object(depth: Int) -> String {
        let members = (0..<seed.below(8)).map { _ in "\(quoted(seed.chance(6) ? text() : memberName())):\(value(depth: depth + 1))" }
        return "{\(members.joined(separator: ","))}"
    }

    private func memberName() -> String { seed.pick(Self.usual.keys.sorted()) ?? "" }

    private func value(depth: Int) -> String {
        switch seed.below(depth > 4 ? 4 : 7) {
        case 0: quoted(text())
        case 1: seed.pick(Self.numbers) ?? "0"
        case 2: seed.pick(["true", "false", "null"]) ?? "null"
        case 3: quoted(memberName())
        case 4: "[\((0..<seed.below(5)).map { _ in value(depth: depth + 1) }.joined(separator: ","))]"
        default: object(depth: depth)
        }
    }

    func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 32: "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// Any part of an address, mostly escaped.
    func escaped() -> String { Self.escaped(seed.chance(3) ? memberName() : text()) }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || [0x2D, 0x5F].contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
