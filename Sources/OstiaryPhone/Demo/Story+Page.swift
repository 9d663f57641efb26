import Foundation
import OstiaryMobile

/// A login page and the way back from it.
extension Story {
    /// The link behind the page's button is tapped on the phone; the browser comes back with the code.
    func logInByPage() async throws {
        let nonce = ManagementClient.newNonce()
        let address = try await person.accept(link: try await tappedLink(nonce))
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("logged in before the browser came back") }
        step("a login page, its link tapped on the phone, the right PIN: nobody is logged in before the browser is back")
        guard try await backend.handIn(nonce, code: ReturnedCode.of(address)) else { throw DemoError.stepFailed("the code was not taken") }
        try await person.expectLogin()
        try await person.expectUser(nonce)
        step("it came back with the code: getSession says \(person.user)")
        try await backend.logOut(nonce)
        _ = try await person.expect("the stop on the phone") { if case .sessionStop = $0 { true } else { nil } }
    }

    /// Somebody sends the link of a page of their own.
    func beSentALink() async throws {
        let nonce = ManagementClient.newNonce()
        let address = try await person.accept(link: try await tappedLink(nonce))
        let isTaken = try await backend.handIn(ManagementClient.newNonce(), code: ReturnedCode.of(address))
        let isIn = try await backend.session(nonce).loggedin
        guard !isTaken, !isIn else { throw DemoError.stepFailed("logged in by a link that was forwarded") }
        guard await person.nextError() == .loginInOtherBrowser else { throw DemoError.stepFailed("the phone did not warn of a forwarded link") }
        step("a page that somebody else began and sent: their browser is not logged in, and the phone warns")
    }

    private func tappedLink(_ nonce: String) async throws -> String {
        try await DemoBrowser.tappedLink(of: nonce, backend, back: servers.layout.siteURL + "/welcome")
    }
}

extension DemoBrowser {
    /// Opens a login page of a nonce.
    /// - Returns: the link behind its button for the phone.
    static func tappedLink(of nonce: String, _ backend: DemoBackend, back address: String) async throws -> String {
        let page = try await backend.page(nonce, ["kind": "login", "returnurl": address])
        guard let link = try await DemoBrowser(opening: page).shown().link else { throw DemoError.stepFailed("the page has no link for the phone") }
        return link
    }
}

/// The code in the address that a browser comes back with.
enum ReturnedCode {
    static func of(_ address: URL) -> String {
        URLComponents(url: address, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "returncode" }?.value ?? ""
    }
}
