import Foundation
import Hummingbird
import OstiaryResource

/// The API of timesheets: who calls is told by a token of one provider, and everything else follows from that. Its settings are environment variables
/// (README.md).
@main
struct TimesheetsAPI {
    static func main() async throws {
        let environment = try APIEnvironment(ProcessInfo.processInfo.environment)
        let verifier = try ResourceVerifier(environment.settings)
        let store = try TimesheetStore(path: environment.database)
        let application = Application(
            router: routes(over: store, behind: verifier), configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
