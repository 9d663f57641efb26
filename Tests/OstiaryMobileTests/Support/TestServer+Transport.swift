import Foundation
import OstiaryMobile
import OstiaryProtocol
import Synchronization

/// The network between the phone and the double.
struct TestTransport: Transport {
    let server: TestServer
    let cable: Cable

    init(server: TestServer, cable: Cable = Cable()) {
        self.server = server
        self.cable = cable
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        await Task.yield()
        guard !Task.isCancelled else { throw .cancelled }
        if let failure = cable.failure { throw failure }
        let response = await server.receive(request)
        guard !Task.isCancelled else { throw .cancelled }
        guard let response else { throw .unreachable }
        return response
    }
}

/// What a test cuts to let a phone die, as far as anybody else can tell.
final class Cable: Sendable {
    private let content = Mutex<TransportError?>(nil)

    /// What comes back of everything that is sent; nil while it arrives.
    var failure: TransportError? { content.withLock { $0 } }

    /// - Parameter failure: what is said of it.
    func cut(_ failure: TransportError = .unreachable) { content.withLock { $0 = failure } }

    func mend() { content.withLock { $0 = nil } }
}

extension TestServer {
    var bundle: Encoded<OstiaryProtocol.Bundle> {
        let identity = SecondFactorIdentity(chain: secondFactor.chain, prekeys: [secondFactor.published(at: now)])
        let bundle = Bundle(
            chain: keys.chain, name: "Example", url: Self.url, sequence: bundleSequence, prekeys: [keys.published(at: now)],
            secondFactor: Encoded(identity))
        return Encoded(lies.bundle?(bundle) ?? bundle, signedBy: keys.operatorKey)
    }

    /// Nil when nothing comes back.
    func receive(_ request: TransportRequest) async -> TransportResponse? {
        guard !mishaps.isDown else { return nil }
        if let status = mishaps.httpStatus { return TransportResponse(status: status, body: []) }
        guard let body = request.body else {
            if request.url.path.hasPrefix("/ap1/logo/") {
                logoCalls += 1
                return settings.logo.map { TransportResponse(status: 200, body: mishaps.tamperLogo?($0) ?? $0) }
            }
            bundleCalls += 1
            if let status = mishaps.bundleStatus { return TransportResponse(status: status, body: []) }
            let bytes = bundle.bytes
            return TransportResponse(status: 200, body: mishaps.tamperBundle?(bytes) ?? bytes)
        }
        guard let header = try? RequestHeader(of: body), header.serverTag == keys.root.root.tag else {
            return TransportResponse(status: 400, body: [])
        }
        guard header.prekeyID == keys.prekey.id else { return TransportResponse(status: 409, body: bundle.bytes) }
        guard let opened = try? OpenedRequest(body, with: keys.prekey), let type = try? MessageType(of: opened.message)
        else { return TransportResponse(status: 400, body: []) }
        if let ahead = mishaps.nodes[type]?.first {
            mishaps.nodes[type]?.removeFirst()
            mishaps.clockAhead = ahead
        }
        received.append(type)
        onMessage?(type)
        if let left = mishaps.answered[type] {
            if left > 0 { mishaps.answered[type] = left - 1 } else { await hold(1) }
        }
        let (status, answer) = told(type, await answer(type, opened))
        guard let bytes = try? opened.answer(status, body: answer, at: now, signedBy: keys.operatorKey) else { return nil }
        if let lost = mishaps.lostAnswers[type], lost > 0 {
            mishaps.lostAnswers[type] = lost - 1
            return nil
        }
        if let copies = mishaps.doubled[type], copies > 0 {
            mishaps.doubled[type] = copies - 1
            return (try? opened.answer(.replayed, body: [], at: now, signedBy: keys.operatorKey)).map { TransportResponse(status: 200, body: $0) }
        }
        if let spoil = mishaps.spoiledAnswers[type]?.first {
            mishaps.spoiledAnswers[type]?.removeFirst()
            return spoil(bytes)
        }
        return TransportResponse(status: 200, body: mishaps.tamper?(type, bytes) ?? bytes)
    }

    private func answer(_ type: MessageType, _ opened: OpenedRequest) async -> (Status, [UInt8]) {
        guard opened.sentAt.distance(to: now) <= 120 else { return (.clock, []) }
        if let status = mishaps.statuses[type]?.first {
            mishaps.statuses[type]?.removeFirst()
            return (status, [])
        }
        do {
            switch type {
            case .e1: return try claim(opened)
            case .e3: return try finish(opened)
            case .w1: return try await confirmation(opened)
            case .l1: return try show(opened)
            case .m1: return try evaluate(opened)
            case .m3: return try complete(opened)
            case .l5: return try decide(opened)
            case .l7: return try note(opened)
            case .fetch: return try fetch(opened)
            case .verification: return try verify(opened)
            case .ping: return try await ping(opened)
            case .stop: return try stop(opened)
            case .getToken: return try await serviceToken(opened)
            case .getData: return try await serviceData(opened)
            case .delete: return try delete(opened)
            default: return (.refused, [])
            }
        } catch let status as Status {
            return (status, [])
        } catch {
            return (.refused, [])
        }
    }

    /// An account's key, or the status that says why there is none.
    func account(_ id: AccountID) throws -> Account {
        guard let account = accounts[id] else { throw Status.accountUnknown }
        return account
    }

    func key(_ bytes: [UInt8]) throws -> DevicePublicKey { try DevicePublicKey(bytes) }

    /// Returns when there is news, at once if the phone does not want to wait.
    func hold(_ seconds: UInt8) async {
        guard seconds > 0 else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting.append($0) }
        } onCancel: {
            Task { await self.wakeAll() }
        }
    }
}
