import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryTesting
import Testing

@testable import OstiaryPhone

@Suite("ostiary phone token")
struct TokenCommandTests {
    private func parse<Command: ParsableCommand>(_ line: String, as type: Command.Type) throws -> Command {
        try #require(try OstiaryPhoneCommand.parseAsRoot(line.split(separator: " ").map(String.init)) as? Command)
    }

    private static let app = "--issuer https://login.example --client-id timesheets --audience https://api.example.com/timesheets"

    @Test("The home stands before or after the command, and the app's options become its settings")
    func options() throws {
        for line in ["phone --home /a token login \(Self.app)", "phone token login --home /a \(Self.app)"] {
            let command = try parse(line, as: TokenLoginCommand.self)
            #expect(command.options.home == "/a", "\(line)")
            let settings = command.app.settings(path: command.redirectPath)
            #expect(settings.issuer == "https://login.example" && settings.clientID == "timesheets" && settings.bindsToDevice)
            #expect(settings.audience == "https://api.example.com/timesheets" && settings.redirectURL?.absoluteString == "http://127.0.0.1/cb")
            #expect(settings.scope == "openid profile email offline_access")
        }
        #expect(try !parse("phone token show --bearer \(Self.app)", as: TokenShowCommand.self).app.settings().bindsToDevice)
    }

    @Test(
        "What cannot be is refused with the words that say so",
        arguments: [
            ("login --redirect-path cb", "--redirect-path begins with a slash"), ("login --redirect-path /cb?a=b", "has neither ? nor #"),
            ("exchange --bearer", "leave --bearer out"), ("show --call nowhere", "--call is an address"),
        ])
    func refused(_ line: String, _ words: String) {
        do {
            _ = try OstiaryPhoneCommand.parseAsRoot("phone token \(line) \(Self.app)".split(separator: " ").map(String.init))
            Issue.record("\(line) was taken")
        } catch { #expect(OstiaryPhoneCommand.fullMessage(for: error).contains(words), "\(line)") }
    }

    @Test("Without a login there is no token, and nothing to end; nobody is asked for that")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        let line = "--home \(folder.file("phone")) \(Self.app)"
        let output = PhoneOutput(isJSON: true)
        await #expect(throws: TokenError.notLoggedIn) { try await parse("phone token show \(line)", as: TokenShowCommand.self).perform(output) }
        #expect(try await parse("phone token revoke \(line)", as: TokenRevokeCommand.self).perform(output) == .done)
    }
}
