import Foundation
import OstiaryMobile

/// A login page and the way back from it.
extension Story {
    /// The link behind the page's button is tapped on the phone; the browser comes back with the code.
    func logInByPage() async throws {
        let nonce = ManagementClient.newNonce()
        let address = try await confirmPage(nonce)
        guard try await !backend.session(nonce).loggedin else { throw DemoError.stepFailed("logged in before the browser came back") }
        step("a login page, its link tapped on the phone, the right PIN: nobody is logged in before the browser is back")
        guard try await backend.handIn(nonce, code: Self.code(in: address)) else { throw DemoError.stepFailed("the code was not taken") }
        try await expectLogin()
        try await expectUser(nonce)
        step("it came back with the code: getSession says \(user)")
        try await backend.logOut(nonce)
        _ = try await expect("the stop on the phone") { if case .sessionStop = $0 { true } else { nil } }
    }

    /// Somebody sends the link of a page of their own.
    func beSentALink() async throws {
        let nonce = ManagementClient.newNonce()
        let address = try await confirmPage(nonce)
        guard try await !backend.handIn(ManagementClient.newNonce(), code: Self.code(in: address)), try await !backend.session(nonce).loggedin else {
            throw DemoError.stepFailed("logged in by a link that was forwarded")
        }
        let warning = await log.next { if case .error(let error, _) = $0 { error } else { nil } }
        guard warning == .loginInOtherBrowser else { throw DemoError.stepFailed("the phone did not warn of a forwarded link") }
        step("a page that somebody else began and sent: their browser is not logged in, and the phone warns")
    }

    /// - Returns: the address that the phone opens.
    private func confirmPage(_ nonce: String) async throws -> URL {
        let link = try await backend.page(nonce, ["kind": "login", "returnurl": servers.layout.siteURL + "/welcome"])
        guard let tapped = try await DemoBrowser(opening: link).shown().link else { throw DemoError.stepFailed("the page has no link for the phone") }
        phone.start(link: tapped)
        try await confirm()
        enterRightPIN()
        return try await expect("the address to open in the browser") { if case .sessionUpdate(let session) = $0 { session.returnURL } else { nil } }
    }

    private static func code(in address: URL) -> String {
        URLComponents(url: address, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "returncode" }?.value ?? ""
    }
}
