import Foundation
import OstiaryMobile

/// The screen and its commands, one after the other.
struct App {
    let client: TokenClient
    let api: TimesheetsClient
    let outbox: Outbox
    private let browser = LoopbackBrowser { address in Screen.show("Open \(address.absoluteString)") }

    init(client: TokenClient, api: TimesheetsClient, outbox: Outbox) {
        self.client = client
        self.api = api
        self.outbox = outbox
    }

    /// Until the person leaves, or the input is over.
    func run() async {
        while true {
            await showMenu()
            guard let line = await Screen.line() else { return }
            do {
                guard let command = try Command(line) else { continue }
                if command == .quit { return }
                try await perform(command)
            } catch { Screen.show(Complaint.sentence(for: error)) }
        }
    }

    private func showMenu() async {
        do {
            let credentials = try await client.credentials()
            Screen.show(credentials.map { "-- \(Profile.name($0)) is logged in" } ?? "-- Nobody is logged in")
            Screen.show(Menu.items(for: credentials).map { "   \($0)" }, or: "")
        } catch { Screen.show(Complaint.sentence(for: error)) }
        Screen.show(">")
    }

    private func perform(_ command: Command) async throws {
        switch command {
        case .logIn: Profile.show(try await client.logIn(in: browser))
        case .me:
            guard let credentials = try await client.credentials() else { throw TokenError.notLoggedIn }
            Profile.show(credentials)
        case .list: Screen.show(try await api.entries().map(\.line), or: "There are no entries")
        case .add(let draft): Screen.show("Added  \(try await add(draft).line)")
        case .approvals: Screen.show(try await api.waiting().map(\.line), or: "Nothing waits for you")
        case .approve(let id): Screen.show("Approved  \(try await api.approve(id).line)")
        case .renew:
            try await api.renew()
            Screen.show("There is a new token")
        case .revoke:
            outbox.empty()
            try await client.revoke()
            Screen.show("Logged out here, and every token of this app is over")
        case .logOut:
            outbox.empty()
            try await client.logOut(in: browser)
            Screen.show("Logged out here and in the browser")
        case .quit: break
        }
    }

    private func add(_ draft: NewEntry) async throws -> Entry {
        let sent = try outbox.leave(draft)
        do {
            let entry = try await api.add(sent)
            try outbox.answered(sent)
            return entry
        } catch let refusal as APIRefusal where !refusal.mayPass {
            try outbox.answered(sent)
            throw refusal
        }
    }
}
