import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import AuthServer

/// A request of a browser or a client in its parts, so that one of them can be wrong while the others are right.
struct FuzzedRequest: Sendable {
    struct Word: Sendable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    enum Body: Sendable {
        case none
        case json(String)
        case form([Word])
    }

    let method: HTTPRequest.Method
    /// What it is called where it is told what was heard.
    let name: String
    let path: String
    var query: [Word]
    var headers: HTTPFields
    var body: Body
    /// How it is answered as long as nothing in it is wrong, and nobody sent it before.
    let right: Int

    init(
        _ method: HTTPRequest.Method, _ path: String, _ query: [Word] = [], headers: HTTPFields = [:], body: Body = .none, name: String? = nil,
        right: Int = 200
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.name = name ?? path
        self.right = right
        switch body {
        case .none: break
        case .json: self.headers[.contentType] = "application/json"
        case .form: self.headers[.contentType] = OAuthClient.formType
        }
    }

    var uri: String { query.isEmpty ? path : "\(path)?\(Self.encoded(query))" }

    private var form: [Word] { if case .form(let words) = body { words } else { [] } }

    private var bytes: [UInt8]? {
        switch body {
        case .none: nil
        case .json(let text): Array(text.utf8)
        case .form(let words): Array(Self.encoded(words).utf8)
        }
    }

    private static func encoded(_ words: [Word]) -> String {
        words.map { "\(OAuthClient.escaped($0.name))=\(OAuthClient.escaped($0.value))" }.joined(separator: "&")
    }

    func send(by client: any TestClientProtocol) async throws -> TestResponse {
        try await client.execute(uri: uri, method: method, headers: headers, body: bytes.map { ByteBuffer(bytes: $0) })
    }
}

/// What is wrong in it.
extension FuzzedRequest {
    /// The same with one or two parts that are wrong; one of three stays as it is.
    /// - Parameter others: out of which a part may come, too.
    func changed(_ seed: FuzzSeed, _ words: APIWords, among others: [FuzzedRequest]) -> FuzzedRequest {
        var request = self
        guard !seed.chance(3) else { return request }
        for _ in 0...seed.below(2) {
            switch seed.below(3) {
            case 0: request.query = Self.changed(request.query, seed, words, others: others.flatMap(\.query))
            case 1: request.changeHeader(seed, words, others: others.map(\.headers))
            default: request.changeBody(seed, words, others: others)
            }
        }
        return request
    }

    /// A word less, twice, with another name or another value.
    private static func changed(_ old: [Word], _ seed: FuzzSeed, _ words: APIWords, others: [Word]) -> [Word] {
        var all = old
        guard !all.isEmpty, !seed.chance(6) else { return all + [Word(words.text(), words.text())] }
        let place = seed.below(all.count)
        switch seed.below(5) {
        case 0: all.remove(at: place)
        case 1: all.append(all[place])
        case 2: all[place].value = seed.pick(others.filter { $0.name == all[place].name })?.value ?? words.text()
        case 3: all[place].value = seed.chance(2) ? misspelt(all[place].value, seed) : text(seed.mutate(Array(all[place].value.utf8)))
        default: all[place] = seed.chance(2) ? Word(words.text(), all[place].value) : Word(all[place].name, words.text())
        }
        return all
    }

    private mutating func changeHeader(_ seed: FuzzSeed, _ words: APIWords, others: [HTTPFields]) {
        guard let name = seed.pick([.origin, .contentType] + headers.map(\.name)) else { return }
        switch seed.below(4) {
        case 0: headers[name] = nil
        case 1: headers[name] = words.escaped()
        case 2: headers[name] = seed.pick(others.compactMap { $0[name] })
        // A field has visible characters and spaces, or the request is none.
        default: headers[name] = Self.text(seed.mutate(Array((headers[name] ?? "").utf8))).filter { ("\u{20}"..."\u{7E}").contains($0) }
        }
    }

    private mutating func changeBody(_ seed: FuzzSeed, _ words: APIWords, others: [FuzzedRequest]) {
        switch body {
        case .none: return
        case .json(let old):
            switch seed.below(3) {
            case 0: body = .json(Self.text(words.body()))
            case 1: body = .json(Self.text(seed.mutate(Array(old.utf8))))
            default: body = .json(Self.misspelt(old, seed))
            }
        case .form(let old):
            body = .form(Self.changed(old, seed, words, others: others.flatMap(\.form)))
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// With another letter in one place, of JSON in one of its values: of the same form, and something else.
    private static func misspelt(_ old: String, _ seed: FuzzSeed) -> String {
        var bytes = Array(old.utf8)
        let start = (bytes.firstIndex(of: UInt8(ascii: ":")) ?? -1) + 1
        guard let place = seed.pick(bytes.indices.filter { $0 >= start && Character(UnicodeScalar(bytes[$0])).isLetter }) else { return old }
        bytes[place] = UInt8(ascii: "A") + UInt8(seed.below(26))
        return text(bytes)
    }
}

/// The statuses that were heard, by the names of the requests.
final class HeardStatuses: Sendable {
    private let content = Mutex<[String: Set<Int>]>([:])

    var byName: [String: Set<Int>] { content.withLock { $0 } }
    var all: Set<Int> { byName.values.reduce(into: []) { $0.formUnion($1) } }

    func note(_ status: Int, of name: String) { content.withLock { _ = $0[name, default: []].insert(status) } }
}

/// Sends what is right, and then what is not.
struct FuzzedConversation: Sendable {
    let seed: FuzzSeed
    let words: APIWords
    let client: any TestClientProtocol
    let heard: HeardStatuses

    init(_ seed: FuzzSeed, _ client: any TestClientProtocol, heard: HeardStatuses) {
        self.seed = seed
        words = APIWords(seed)
        self.client = client
        self.heard = heard
    }

    /// Each as it stands, in this order.
    func begin(_ requests: [FuzzedRequest]) async throws {
        for request in requests {
            let answer = try await request.send(by: client)
            #expect(answer.status.code == request.right, "\(request.method) \(request.uri): what is right is done")
        }
    }

    /// Changed, or as they stand, in any order.
    func goOn(_ requests: [FuzzedRequest], times: Int) async throws {
        let names = Set(requests.map(\.name)).sorted()
        for _ in 0..<times {
            guard let name = seed.pick(names), let request = seed.pick(requests.filter({ $0.name == name })) else { break }
            let asked = request.changed(seed, words, among: requests)
            let answer = try await asked.send(by: client)
            heard.note(answer.status.code, of: name)
            #expect(answer.status.code < 500, "seed \(FuzzSeed.text): \(asked)")
        }
    }
}
