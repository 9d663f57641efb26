import Foundation
import OstiaryMobile

/// `TimesheetsMobile HOME`: the app of employees and managers, in a terminal. What it keeps is in HOME; its settings are environment variables (README.md).
@main
struct TimesheetsMobile {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            Screen.show("usage: TimesheetsMobile HOME")
            exit(64)
        }
        let settings = try AppSettings(ProcessInfo.processInfo.environment)
        // One for the app, and kept.
        let client = TokenClient(settings.tokens, ports: try Ports.files(in: CommandLine.arguments[1]))
        await App(client: client, api: TimesheetsClient(base: settings.api, client: client)).run()
    }
}
