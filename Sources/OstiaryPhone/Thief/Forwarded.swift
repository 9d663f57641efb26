import Foundation
import OstiaryMobile

/// Whoever sends, keeps or repeats what belongs to one login.
extension ThiefScene {
    private var back: String { servers.layout.siteURL + "/welcome" }

    func forwardLink() async throws {
        let nora = try victim()
        try await nora.enrol()
        let thiefs = ManagementClient.newNonce()
        let link = try await DemoBrowser.tappedLink(of: thiefs, backend, back: back)
        saw("The thief's own browser shows a login page; he sends Nora the link behind its button.")
        let address = try await nora.accept(link: link)
        saw("She taps it, and her PIN is right. Her phone opens her own browser with the code.")
        // Her browser brings its own cookie, and with it a nonce of its own.
        let hers = ManagementClient.newNonce()
        try hold(try await !backend.handIn(hers, code: ReturnedCode.of(address)), or: "a forwarded link logged her browser in")
        try hold(try await !backend.handIn(thiefs, code: ReturnedCode.of(address)), or: "the code was good a second time, for the thief")
        try await holdNobodyIn(thiefs, or: "a forwarded link logged the thief in as Nora")
        saw("Her browser is not the one that began: nobody is logged in, and the code is spent.")
        let warning = await nora.nextError()
        try hold(warning == .loginInOtherBrowser, or: "Nora's phone did not warn her")
        saw("Her phone warns: \(OstiaryError.loginInOtherBrowser.sentence).")
    }

    func oldCookie() async throws {
        let nora = try victim()
        try await nora.enrol()
        let nonce = ManagementClient.newNonce()
        let address = try await nora.accept(link: try await DemoBrowser.tappedLink(of: nonce, backend, back: back))
        guard try await backend.handIn(nonce, code: ReturnedCode.of(address)) else { throw DemoError.stepFailed("her own login was not taken") }
        try await nora.expectLogin()
        saw("Nora is logged in. The thief has the cookie of her browser, and the address that it came back to.")
        try await backend.logOut(nonce)
        saw("She logs out.")
        try await holdNobodyIn(nonce, or: "the cookie is good after the logout")
        try hold(try await !backend.handIn(nonce, code: ReturnedCode.of(address)), or: "the return code is good after the logout")
        try await holdNobodyIn(nonce, or: "the return code began the login again")
        saw("The cookie opens nothing any more, and the code of the address is refused.")
    }

    func replay() async throws {
        let nora = try victim()
        // Over before the tape begins: a ping of a session that goes on would be answered when there is news, and there is none.
        try await backend.logOut(try await nora.enrol())
        witness.startTape()
        let login: (nonce: String, session: Session)
        do { login = try await nora.logIn() } catch {
            _ = witness.endTape()
            throw error
        }
        try await backend.logOut(login.nonce)
        let tape = witness.endTape()
        guard tape.count >= 3 else { throw DemoError.stepFailed("only \(tape.count) requests were recorded") }
        saw("\(tape.count) requests of her phone are recorded, from the code to the login. Then she logs out.")
        for request in tape {
            _ = try await post(request)
            try await holdNobodyIn(login.nonce, or: "a recorded request logged her in again")
        }
        saw("All are sent again, byte by byte. Nobody is logged in by any of them.")
        let again = try await nora.logIn()
        let status = try await backend.session(again.nonce)
        try hold(status.loggedin && (status.pinattemptsfailed ?? 0) == 0, or: "the replay cost Nora a try")
        saw("Her next login works at the first try.")
    }
}
