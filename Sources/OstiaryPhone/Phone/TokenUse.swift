import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

/// What is done with a token that is good now.
struct TokenUseOptions: ParsableArguments, Sendable {
    /// Seconds for a call of an API.
    private static let timeout = 15.0

    @Option(help: ArgumentHelp("Call this address by GET with the token, and print what is answered, instead of the token.", valueName: "url"))
    var call: String?

    func validate() throws {
        guard let call else { return }
        guard let url = URL(string: call), url.scheme != nil, url.host != nil else {
            throw ValidationError("--call is an address: https://api.example/")
        }
    }

    func use(_ client: TokenClient, _ output: PhoneOutput) async throws -> PhoneExit {
        guard let url = call.flatMap({ URL(string: $0) }) else {
            let token = try await client.freshToken()
            if let credentials = try await client.credentials() { output.tell(credentials) }
            output.tell(token)
            return .done
        }
        let transport = HTTPTransport()
        let response = try await client.performWithFreshToken { token in
            let fields = try token.fields(method: "GET", url: url)
            let response = try await transport.send(
                TransportRequest(
                    url: url, body: nil, timeout: Self.timeout,
                    fields: Dictionary(uniqueKeysWithValues: fields.map { ($0.key.lowercased(), $0.value) }), answerFields: ["dpop-nonce"]))
            guard response.status != 401 else { throw AccessTokenRefused(nonce: response.fields["dpop-nonce"]) }
            return response
        }
        output.tell(response)
        return (200...299).contains(response.status) ? .done : .other
    }
}

extension PhoneOutput {
    /// Who is logged in, and what the app may do.
    func tell(_ credentials: TokenCredentials) {
        let scopes = credentials.scopes.sorted().joined(separator: " ")
        let members: [(String, JSONText)] = [
            ("subject", .optional(credentials.profile?.subject)), ("name", .optional(credentials.profile?.name)),
            ("email", .optional(credentials.profile?.email)), ("picture", .optional(credentials.profile?.picture?.absoluteString)),
            ("scope", .string(scopes)), ("isLasting", .bool(credentials.isLasting)), ("isBound", .bool(credentials.isBound)),
        ]
        let who = [credentials.profile?.name, credentials.profile?.email].compactMap { $0 }.joined(separator: ", ")
        let subject = credentials.profile?.subject ?? "somebody"
        list(
            "tokenLogin", "login", members.asObject,
            line: "\(others: who.isEmpty ? subject : "\(subject) (\(who))") may \(others: scopes)")
    }

    func tell(_ token: FreshToken) {
        let members: [(String, JSONText)] = [("kind", .string(token.kind.rawValue)), ("accessToken", .string(token.value))]
        // In one piece, so that it can be copied; it is what a header field can hold, or the provider's answer was refused.
        list("token", "token", members.asObject, line: "  \(ours: token.value)")
    }

    /// What an API answered.
    func tell(_ response: TransportResponse) {
        let body = String(decoding: response.body, as: UTF8.self)
        let members: [(String, JSONText)] = [("status", .number(response.status)), ("body", .string(body))]
        list("apiAnswer", "answer", members.asObject, line: "\(ours: String(response.status))  \(others: body)")
    }

    func tell(_ error: TokenError) {
        let members: [(String, JSONText)] = [
            ("event", "error"), ("code", .null), ("name", .string(error.name)), ("message", .string(error.sentence)),
            ("advice", .string(error.advice.rawValue)),
        ]
        if isJSON { StandardStreams.print(members.asObject.text) } else { StandardStreams.printError("ostiary phone: \(error.sentence)") }
    }
}
