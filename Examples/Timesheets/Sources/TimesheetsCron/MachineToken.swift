import AsyncHTTPClient
import Foundation

/// A token for a machine by itself (`client_credentials`, RFC 6749 §4.4). Nobody logs in, and there is nothing to renew: the next run asks anew.
struct MachineToken {
    private struct Metadata: Decodable {
        let issuer: String
        let tokenEndpoint: String

        enum CodingKeys: String, CodingKey {
            case issuer
            case tokenEndpoint = "token_endpoint"
        }
    }

    private struct Token: Decodable {
        let value: String

        enum CodingKeys: String, CodingKey { case value = "access_token" }
    }

    private let settings: CronSettings

    init(_ settings: CronSettings) { self.settings = settings }

    func fetched() async throws -> String {
        let metadata = try await Answer.json(
            Metadata.self, to: HTTPClientRequest(url: "\(settings.issuer)/.well-known/openid-configuration"), from: "the provider")
        // The secret goes to nobody else: whoever answered is this issuer, since nobody leads elsewhere (`Answer`), and nobody on the way reads it.
        guard metadata.issuer == settings.issuer else { throw CronFailure.file("ISSUER is not how the provider spells itself") }
        guard CronSettings.isCalled(metadata.tokenEndpoint) else { throw CronFailure.file("the provider names no address for tokens that is called") }
        var request = HTTPClientRequest(url: metadata.tokenEndpoint)
        request.method = .POST
        let name = "\(Self.escaped(settings.clientID)):\(Self.escaped(settings.secret))"
        request.headers.add(name: "Authorization", value: "Basic \(Data(name.utf8).base64EncodedString())")
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let form = "grant_type=client_credentials&audience=\(Self.escaped(settings.audience))&scope=upload%3Atimesheets"
        request.body = .bytes(Data(form.utf8))
        return try await Answer.json(Token.self, to: request, from: "the provider").value
    }

    /// Everything but what needs no escape (RFC 3986 §2.3).
    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
