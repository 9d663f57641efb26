import Foundation
import OstiaryMobile

/// `TimesheetsMobile HOME`: the app of employees and managers, in a terminal. What it keeps is in HOME; its settings are environment variables (README.md).
@main
struct TimesheetsMobile {
    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            Screen.show("usage: TimesheetsMobile HOME")
            exit(64)
        }
        do { try await open(home: CommandLine.arguments[1]).run() } catch {
            Screen.show("The app does not open: \(error)")
            exit(1)
        }
    }

    private static func open(home: String) throws -> App {
        let settings = try AppSettings(ProcessInfo.processInfo.environment)
        let ports: Ports
        do { ports = try Ports.files(in: home) } catch { throw WrongSetting(name: home, why: "is no folder that can be used: \(error)") }
        // One for the app, and kept.
        let client = TokenClient(settings.tokens, ports: ports)
        return App(client: client, api: TimesheetsClient(base: settings.api, client: client), outbox: Outbox(home: home))
    }
}
