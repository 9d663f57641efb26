import Foundation
import OstiaryProgram
import QRCode
import Synchronization

/// What the demonstration shows in its terminal: where everything is, and an enrolment and logins without a browser.
struct DemoTour: Sendable {
    let backend: DemoBackend
    let overview: DemoOverview
    /// Whether codes are drawn here, to be scanned off the screen; they take more rows than a small terminal has.
    let drawsCodes: Bool

    static let prompt = "Type here the code that the phone shows: "
    private static let user = DemoOverview.user

    /// Prints the overview, then goes on until the task is cancelled.
    func run() async throws {
        for line in overview.lines { StandardStreams.print(line) }
        do {
            try await enrol()
            while true { try await logIn() }
        } catch {
            guard !(error is CancellationError) else { throw error }
            // The page goes on without it.
            StandardStreams.printError("ostiary demo: \(StartFailure.oneLine(error))")
            try await Task.sleep(for: .seconds(86_400))
        }
    }

    private func enrol() async throws {
        let nonce = ManagementClient.newNonce()
        let code = try await backend.enrolCode(nonce, name: "Visitor", user: Self.user, asPNG: false)
        try show(code, overview.enrolmentLines(code))
        guard StandardStreams.inputIsTerminal else { return try await Task.sleep(for: .seconds(600)) }
        while true {
            StandardStreams.write(Self.prompt, to: STDOUT_FILENO)
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
        let code = try await backend.loginCode(nonce, asPNG: false)
        try show(code, overview.loginLines(code))
        // The screen has moved on by what was shown: the addresses come with it.
        if StandardStreams.outputIsTerminal { for line in overview.addresses { StandardStreams.print(line) } }
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

    private func show(_ code: [UInt8], _ lines: [String]) throws {
        if drawsCodes {
            StandardStreams.print(try QRSymbol(bytes: code).terminal(style: StandardStreams.outputIsTerminal ? .coloured : .plain))
        }
        for line in lines { StandardStreams.print(line) }
    }

    /// A line that was typed; nil at the end of the input, and when the demonstration ends.
    private static func line() async -> String? {
        let question = TerminalQuestion()
        return await withTaskCancellationHandler {
            await KeyInput.onOwnThread { KeyInput.line(isWanted: { question.isOpen }) }
        } onCancel: {
            question.close()
        }
    }
}

/// Whether an answer is still wanted.
private final class TerminalQuestion: Sendable {
    private let open = Mutex(true)

    var isOpen: Bool { open.withLock(\.self) }
    func close() { open.withLock { $0 = false } }
}
