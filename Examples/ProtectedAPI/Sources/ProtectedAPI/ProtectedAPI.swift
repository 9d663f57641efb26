import Foundation
import Hummingbird
import OstiaryResource

/// An API of timesheets that takes the tokens of one provider, whoever that is. Its settings are environment variables (README.md).
@main
struct ProtectedAPI {
    static func main() async {
        do { try await run() } catch {
            // Told in a line: an error that leaves main ends the program like a crash.
            FileHandle.standardError.write(Data("ProtectedAPI: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let environment = try APIEnvironment(ProcessInfo.processInfo.environment)
        let verifier = try ResourceVerifier(environment.settings)
        let application = Application(
            router: routes(behind: verifier), configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
