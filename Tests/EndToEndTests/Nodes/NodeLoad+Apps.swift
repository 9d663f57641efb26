import OstiaryTesting
import Synchronization

@testable import OstiaryMobile
@testable import OstiaryPhone

/// Logins to an app: its webNonce, which backends ask about, and the token that it is exchanged for (RFC 8693).
extension NodeLoad {
    func appRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        let ostiary = resident.phone.ostiary
        // One that a node ended is over here as soon as the phone asks.
        if let former = ostiary.appLoginSession, !former.isOver, let nonce = former.webNonce {
            await stop(session: nonce, by: resident.name) { try await ostiary.end(former) }
        }
        let entered = EnteredPINs(resident, isWrong: Bool.random(using: &random))
        let session = try await begin(nil, of: resident, entered) { try await resident.phone.logInToApp(entering: entered.next) }
        guard let nonce = session.webNonce else { throw NotLoggedIn() }
        let grant = newName("app", of: resident)
        let token = await exchange(grant, of: resident)
        let (backends, clients) = (backends(&random), clients(&random))
        let stopper = backends[Int.random(in: 0..<backends.count, using: &random)]
        let isOwn = Bool.random(using: &random)
        var asks = backends.map { caller in { @Sendable in await self.read(nonce, by: caller) } }
        asks.append { await self.ping(session, nonce, of: resident) }
        if let token { asks += clients.map { caller in { @Sendable in await self.read(token, grant, by: caller) } } }
        await watch(&random, asks) {
            await self.stop(session: nonce, grants: token == nil ? [] : [grant], by: isOwn ? resident.name : stopper.name) {
                if isOwn { try await ostiary.end(session) } else { try await stopper.logOut(nonce) }
            }
        }
        if !isOwn { await stop(session: nonce, grants: token == nil ? [] : [grant], by: resident.name) { try await ostiary.end(session) } }
    }

    private func exchange(_ grant: String, of resident: NodeResident) async -> String? {
        let settings = TokenSettings(issuer: fixture.layout.publicURL, clientID: "app", audience: TokenCaller.api, scope: TokenCaller.scope)
        let invoked = now()
        guard let token = try? await resident.phone.ostiary.tokenClient(settings).freshToken().value else { return nil }
        histories.grants.note(ObservedCall("\(resident.name)’s app", grant, .begin, invoked: invoked, .answered(.alive, at: now())))
        tokens.withLock { $0[grant] = token }
        return token
    }
}
