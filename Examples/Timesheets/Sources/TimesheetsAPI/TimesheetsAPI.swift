import Foundation
import Hummingbird
import OstiaryResource

/// The API of timesheets: who calls is told by a token of one provider, and everything else follows from that. Its settings are environment variables
/// (README.md).
@main
struct TimesheetsAPI {
    static func main() async {
        // A sentence: an error that leaves `main` is a crash with a trace, in which nobody finds what was forgotten.
        do { try await serve() } catch {
            FileHandle.standardError.write(Data("The API does not run: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func serve() async throws {
        let environment = try APIEnvironment(ProcessInfo.processInfo.environment)
        let verifier = try ResourceVerifier(environment.settings)
        let store: TimesheetStore
        do { store = try TimesheetStore(path: environment.database) } catch {
            throw WrongSetting(name: "DATABASE", why: "cannot be opened: \(environment.database), \(error)")
        }
        let application = Application(
            router: routes(over: store, behind: verifier), configuration: .init(address: .hostname("127.0.0.1", port: environment.port)))
        try await application.runService()
    }
}
