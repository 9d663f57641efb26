import HTTPTypes
import Hummingbird
import NIOCore
import OAuthProvider
import OstiaryTokens

extension RegistryChange {
    /// The Change object of the REST API: what it is, and each member that is another, as it was and as it is.
    var json: JSONObject {
        let (kind, name, before, after) = parts
        let word = before == nil ? "created" : after == nil ? "removed" : "changed"
        var object = JSONObject(["kind": .string(kind), "name": .string(name), "change": .string(word)])
        guard let after else { return object }
        let names = after.names + (before?.names ?? []).filter { after[$0] == nil }
        object["members"] = .array(
            names.filter { before?[$0] != after[$0] }.map { name in
                .object(JSONObject(["member": .string(name), "before": before?[name], "after": after[name]]))
            })
        return object
    }

    private var parts: (kind: String, name: String, before: JSONObject?, after: JSONObject?) {
        switch self {
        case .api(let before, let after): ("api", (before ?? after)?.identifier.text ?? "", before?.json, after?.json)
        case .role(let before, let after): ("role", (before ?? after)?.name ?? "", before?.json, after?.json)
        case .application(let before, let after): ("application", (before ?? after)?.id.text ?? "", before?.json, after?.json)
        case .user(let before, let after): ("user", (before ?? after)?.userID ?? "", before?.json, after?.json)
        }
    }
}

extension RegistryOutcome {
    /// The answer of applyRegistry.
    var json: JSONObject {
        var object = JSONObject(["changes": .array(changes.map { .object($0.json) })])
        if !secrets.isEmpty {
            object["secrets"] = .object(
                secrets.sorted { $0.key.text < $1.key.text }.reduce(into: JSONObject()) { $0[$1.key.text] = .string($1.value.text) })
        }
        return object
    }
}

extension Response {
    /// One object in JSON, of members whose names others chose.
    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.encoded)))
    }
}
