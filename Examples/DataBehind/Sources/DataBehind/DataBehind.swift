import Foundation
import Hummingbird

/// A Data Service that only the authentication server asks: it keeps notes for devices. Its settings are environment variables (README.md).
@main
struct DataBehind {
    struct Missing: Error { let name: String }

    static func main() async throws {
        let variables = ProcessInfo.processInfo.environment
        guard let port = Int(variables["PORT"] ?? "8092") else { throw Missing(name: "PORT") }
        guard let secret = variables["SECRET"] else { throw Missing(name: "SECRET") }
        let secrets = CallerSecrets([secret] + [variables["FORMER_SECRET"]].compactMap { $0 })
        let application = Application(router: routes(taking: secrets), configuration: .init(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}
