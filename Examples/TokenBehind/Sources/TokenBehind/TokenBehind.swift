import Foundation
import Hummingbird

/// A token service that only the authentication server asks. Its settings are environment variables (README.md).
@main
struct TokenBehind {
    static func main() async {
        do { try await run() } catch {
            // Told in a line: an error that leaves main ends the program like a crash.
            FileHandle.standardError.write(Data("TokenBehind: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let environment = try ServiceEnvironment(ProcessInfo.processInfo.environment)
        let application = Application(
            router: routes(taking: environment.secrets, giving: environment.tokens),
            configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
