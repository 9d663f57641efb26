import Foundation
import OstiaryProtocol

/// What the demonstration prints: where everything is, short enough that all of it stays on a screen of 80 columns and 24 rows.
struct DemoOverview: Sendable {
    let layout: DemoLayout
    /// Of the page, with its secret; nil where there is none.
    let pageAddress: String?
    let keepsData: Bool

    /// Every address, one a line.
    var addresses: [String] {
        [
            pageAddress.map { "  open this              \($0)" },
            "  website                \(layout.siteURL)",
            "  authentication server  \(layout.publicURL)",
            "  management             \(layout.adminURL)",
            "  second-factor server   \(layout.secondFactorURL)",
            "  data                   \(layout.data.path)" + (keepsData ? "" : " (goes at the end; --keep)"),
        ].compactMap(\.self)
    }

    var lines: [String] {
        ["", "Hallway, a demonstration of Ostiary. Ctrl-C ends it.", ""] + addresses
            + ["", "In another terminal, while the website shows a code (or with a screenshot):", ""] + commands.map { "  \($0)" }
    }

    /// Who is enrolled without a browser.
    static let user = "visitor"

    func enrolmentLines(_ code: [UInt8]) -> [String] {
        ["", "Without a browser: this enrols \(Self.user), once and within ten minutes.", line("enrol", code), ""]
    }

    func loginLines(_ code: [UInt8]) -> [String] {
        ["", "This logs \(Self.user) in. The code is good for 90 seconds.", line("login", code), ""]
    }

    private func line(_ command: String, _ code: [UInt8]) -> String { "  \(phone) \(command) '\(Link.text(of: code, at: layout.publicURL))'" }

    /// A phone in a terminal, which reads the code that the website shows now.
    var commands: [String] { ["enrol", "login"].map { "\(phone) \($0) \(layout.shownCode.path)" } }

    /// The beginning of a command line of the visitor's phone.
    var phone: String { "\(Self.program) phone --home \(layout.phoneHome.path)" }

    /// How the person called `ostiary`, so that our lines can be pasted.
    private static var program: String {
        let called = CommandLine.arguments.first ?? "ostiary"
        return called.contains("/") || !FileManager.default.isExecutableFile(atPath: ServersProgram.url.path) ? called : ServersProgram.url.path
    }

    /// Rows that lines take on a terminal of so many columns.
    static func rows(of lines: [String], columns: Int = 80) -> Int {
        lines.reduce(0) { $0 + max(1, ($1.count + columns - 1) / columns) }
    }
}
