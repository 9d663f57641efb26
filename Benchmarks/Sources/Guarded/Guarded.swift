import Foundation
import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird

/// What `Hello` answers, behind `OstiaryResource`, as whoever has an API writes it: `/asked` takes tokens and webNonces and remembers nothing, `/remembered`
/// takes an answer for a minute. Whose, is told by environment variables.
@main
struct Guarded {
    static func main() async throws {
        let router = Router(context: CallerContext.self)
        for (path, seconds) in [("asked", 0), ("remembered", 60)] as [(String, UInt64)] {
            router.group("\(path)").add(middleware: ResourceMiddleware(try verifier(rememberedFor: seconds))).get { _, _ in "hello" }
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print(channel.localAddress?.port ?? 0)
                fflush(nil)
            })
        try await application.runService()
    }

    private static func verifier(rememberedFor seconds: UInt64) throws -> ResourceVerifier {
        let environment = ProcessInfo.processInfo.environment
        func told(_ name: String) -> String { environment[name] ?? "" }
        var webNonce = WebNonceSettings(restAddress: told("REST_ADDRESS"), server: told("SERVER_ID"), apiKey: told("API_KEY"))
        webNonce.rememberedFor = seconds
        return try ResourceVerifier(
            ResourceSettings(
                base: "http://127.0.0.1", provider: ProviderSettings(issuer: told("ISSUER"), audience: told("AUDIENCE")), webNonce: webNonce))
    }
}
