import Foundation
import Hummingbird
import OstiaryResource

/// An API of timesheets that takes the tokens of one provider, whoever that is. Its settings are environment variables (README.md).
@main
struct ProtectedAPI {
    static func main() async throws {
        let environment = try APIEnvironment(ProcessInfo.processInfo.environment)
        let verifier = try ResourceVerifier(environment.settings)
        let application = Application(
            router: routes(behind: verifier), configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
