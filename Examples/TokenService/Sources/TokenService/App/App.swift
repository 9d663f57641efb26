import Foundation
import OstiaryMobile

/// An app whose person logs in to it by an AppLogin, and that calls a backend with tokens of the token service. It trusts the keys of both by their pins.
///
/// Enrolment, biometrics and everything else that an app does for its people are in Examples/Doorway.
struct App {
    private let home: String
    private let calls: PayrollCalls

    init(home: String, _ variables: Variables) throws {
        self.home = home
        let (tokenService, backend) = (try Self.address("TOKEN_SERVICE", variables), try Self.address("BACKEND", variables))
        let pins = [tokenService.origin: try Self.pins("TOKEN_SERVICE_PINS", variables), backend.origin: try Self.pins("BACKEND_PINS", variables)]
        calls = PayrollCalls(
            transport: PinnedTransport(pins, trustRoots: variables.optional("TRUST_ROOTS")), tokenService: tokenService.url, backend: backend.url,
            audience: try variables.text("AUDIENCE"))
    }

    private static func address(_ name: String, _ variables: Variables) throws -> (url: URL, origin: String) {
        guard let url = URL(string: try variables.text(name)), let origin = PinnedTransport.origin(of: url) else {
            throw Variables.Wrong(name: name, why: "is no address of https")
        }
        return (url: url, origin: origin)
    }

    private static func pins(_ name: String, _ variables: Variables) throws -> Set<KeyPin> {
        Set(
            try variables.list(name).map { text in
                guard let pin = KeyPin(text) else { throw Variables.Wrong(name: name, why: "is base64 of 32 bytes for each key, with commas") }
                return pin
            })
    }

    /// Until the person leaves, or the input is over.
    func run() async throws {
        var configuration = Ostiary.Configuration()
        configuration.appInfo = "Payslips 1.0"
        configuration.singleAccount = true
        Ostiary.default.configure(configuration, ports: try Ports.files(in: home))
        let listener = Task { await listen() }
        defer { listener.cancel() }
        do {
            _ = try await Ostiary.default.completion(of: try await Ostiary.default.beginAppLogin())
        } catch OstiaryError.noAccountsForServer {
            throw Variables.Wrong(name: home, why: "is the home of nobody who is enrolled: ostiary phone enrol --home \(home)")
        }
        var token: String?
        repeat {
            Terminal.show("\(Ostiary.AppLogin.username ?? "Nobody") is in: token, payslips, pay, out or q")
        } while await perform(await Terminal.line(), &token)
    }

    /// - Returns: whether the app goes on.
    private func perform(_ word: String?, _ token: inout String?) async -> Bool {
        switch word {
        case nil, "q": return false
        case "token": token = await newToken() ?? token
        case "payslips": await show("payslips", token) { known async throws(TransportError) in try await calls.payslips(with: known) }
        case "pay": await show("pay", token) { known async throws(TransportError) in try await calls.pay(with: known) }
        case "out": if let session = Ostiary.AppLogin.session { try? await Ostiary.default.end(session) }
        default: break
        }
        return true
    }

    /// What comes back is not shown: it is the token.
    private func newToken() async -> String? {
        guard let webNonce = Ostiary.AppLogin.webNonce else {
            Terminal.show("token: nobody is logged in")
            return nil
        }
        let answer = await told("token") { () async throws(TransportError) in try await calls.token(for: webNonce) }
        guard let answer, answer.status == 200 else { return nil }
        // It goes into a field of a header: what has a break or a letter of another alphabet in it is none (RFC 6750 §2.1).
        let token = try? JSONDecoder().decode(TokenAnswerBody.self, from: Data(answer.body)).accessToken
        guard let token, !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            Terminal.show("token: what came is none")
            return nil
        }
        return token
    }

    private struct TokenAnswerBody: Decodable {
        let accessToken: String

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
        }
    }

    private func show(_ name: String, _ token: String?, _ call: (String) async throws(TransportError) -> TransportResponse) async {
        guard let token else { return Terminal.show("\(name): there is no token") }
        let answer = await told(name) { () async throws(TransportError) in try await call(token) }
        if let answer { Terminal.show(String(decoding: answer.body, as: UTF8.self)) }
    }

    /// Shows the status, or why there is none.
    private func told(_ name: String, _ call: () async throws(TransportError) -> TransportResponse) async -> TransportResponse? {
        do throws(TransportError) {
            let answer = try await call()
            Terminal.show("\(name): \(answer.status)")
            return answer
        } catch {
            Terminal.show("\(name): \(error)")
            return nil
        }
    }

    /// The PIN, when the SDK asks for it.
    private func listen() async {
        for await event in Ostiary.default.events {
            switch event {
            case .secondFactorStarted: await ask()
            case .secondFactorUpdated(let factor) where !factor.stopped && factor.secondFactorInfo.retry:
                Terminal.show("That was not right.")
                await ask()
            case .sessionStop(let session) where session.isLoggedOut: Terminal.show("Logged out.")
            case .error(let error, _): Terminal.show("That did not work: \(error)")
            default: break
            }
        }
    }

    private func ask() async {
        guard let pin = await Terminal.pin() else { return Ostiary.default.sfCancel() }
        Ostiary.default.sfInput(pin)
        pin.clear()
    }
}
