import Foundation
import Hummingbird

/// A token service that only the authentication server asks. Its settings are environment variables (README.md).
@main
struct TokenBehind {
    static func main() async throws {
        let environment = try ServiceEnvironment(ProcessInfo.processInfo.environment)
        let application = Application(
            router: routes(taking: environment.secrets, giving: environment.tokens),
            configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
