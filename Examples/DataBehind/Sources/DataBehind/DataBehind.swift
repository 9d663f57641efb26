import Foundation
import Hummingbird

/// A Data Service that only the authentication server asks: it keeps notes for devices. Its settings are environment variables (README.md).
@main
struct DataBehind {
    static func main() async {
        do { try await run() } catch {
            // Told in a line: an error that leaves main ends the program like a crash.
            FileHandle.standardError.write(Data("DataBehind: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let environment = try ServiceEnvironment(ProcessInfo.processInfo.environment)
        let application = Application(
            router: routes(taking: environment.secrets), configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
