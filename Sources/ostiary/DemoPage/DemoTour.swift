import Foundation
import OstiaryProtocol
import QRCode

/// What the demonstration shows in its terminal: where everything is, how to use a phone with it, and a login without a browser.
struct DemoTour: Sendable {
    let backend: DemoBackend
    let layout: DemoLayout
    let keepsData: Bool

    private static let user = "visitor"
    private var phone: String { "\(Self.program) phone --home \(layout.phoneHome.path)" }

    /// Prints the overview, then goes on in the background until the process ends.
    func begin() async {
        overview()
        Task {
            do {
                try await enrol()
                while true { try await logIn() }
            } catch {
                StandardStreams.printError("ostiary demo: \(StartFailure.oneLine(error))")
            }
        }
    }

    private func overview() {
        StandardStreams.print(
            """

            Hallway, a demonstration of Ostiary. Ctrl-C ends it.

              website                \(layout.siteURL)
              authentication server  \(layout.publicURL), management \(layout.adminURL)
              second-factor server   \(layout.secondFactorURL)
              data                   \(layout.data.path)\(keepsData ? "" : " (removed at the end; --keep keeps it)")

            With a browser: open the website, write a name and press Enrol. Take a screenshot of the code and, in another terminal,
            let the phone look at it:

              \(phone) enrol SCREENSHOT.png

            Type the code that the phone shows into the page, and you are in. Log out, press Log in ("hold it still" gives you time), and

              \(phone) login SCREENSHOT.png
            """)
    }

    private func enrol() async throws {
        let nonce = ManagementClient.newNonce()
        let code = try await backend.enrolCode(nonce, name: "Visitor", user: Self.user, asPNG: false)
        StandardStreams.print("\nWithout a browser: this enrols \(Self.user), once and within ten minutes.\n")
        try show(code, command: "enrol")
        guard StandardStreams.inputIsTerminal else { return try await Task.sleep(for: .seconds(600)) }
        while true {
            StandardStreams.write("Type here the code that the phone shows: ", to: STDOUT_FILENO)
            guard let typed = await Self.line() else { return try await Task.sleep(for: .seconds(86_400)) }
            if typed.isEmpty { continue }
            if try await confirm(nonce, typed) { return }
        }
    }

    private func confirm(_ nonce: String, _ typed: String) async throws -> Bool {
        do {
            try await backend.confirm(nonce, code: typed)
        } catch DemoError.unexpectedAnswer(_, let status) {
            StandardStreams.print("\u{2717} not confirmed (\(status)): is the phone showing a code, and is it this one?")
            return false
        }
        StandardStreams.print("\u{2713} enrolled; getSession says \(try await backend.session(nonce).userid ?? "nobody")")
        return true
    }

    private func logIn() async throws {
        let nonce = ManagementClient.newNonce()
        StandardStreams.print("\nThis logs \(Self.user) in. The code is good for 90 seconds.\n")
        try show(try await backend.loginCode(nonce, asPNG: false), command: "login")
        let deadline = ContinuousClock.now + .seconds(100)
        while ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(500))
            let status = try await backend.session(nonce)
            guard status.loggedin else { continue }
            StandardStreams.print("\u{2713} getSession says \(status.userid ?? "nobody"). Return logs out and shows another code.")
            guard await Self.line() != nil else { return try await Task.sleep(for: .seconds(86_400)) }
            return try await backend.logOut(nonce)
        }
        StandardStreams.print("The code is too old now. Return shows another.")
        guard await Self.line() != nil else { return try await Task.sleep(for: .seconds(86_400)) }
    }

    private func show(_ code: [UInt8], command: String) throws {
        let symbol = try QRSymbol(bytes: code)
        StandardStreams.print(symbol.terminal(style: StandardStreams.outputIsTerminal ? .coloured : .plain))
        StandardStreams.print("  \(phone) \(command) '\(Link.text(of: code, at: layout.publicURL))'\n")
    }

    private static func line() async -> String? { await KeyInput.onOwnThread { KeyInput.line() } }

    /// How the person called this program, so that our lines can be pasted.
    private static var program: String {
        let called = CommandLine.arguments.first ?? "ostiary"
        return called.contains("/") || !FileManager.default.isExecutableFile(atPath: OwnBinary.url.path) ? called : OwnBinary.url.path
    }
}
