import Foundation
import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("Announcement", .timeLimit(.minutes(10)))
struct AnnouncementTests {
    private let logo: [UInt8] = (0..<2_000).map { UInt8(truncatingIfNeeded: $0) }

    @Test("S4-08 S4-09 S4-10 S4-11 the session that is to be confirmed has the server's texts and image; the image is fetched once")
    func shown() async throws {
        let phone = try await TestPhone.enrolled()
        let logo = logo
        await phone.server.with { server in
            server.settings.announceInfo = [Announcement(key: "amount", text: "12.00"), Announcement(key: "shop", text: "Bakery")]
            server.settings.logo = logo
        }
        for _ in 0..<2 {
            phone.ostiary.start(with: try await phone.server.makeLoginLink())
            let (session, _) = try await phone.confirmLogin()
            #expect(session.info.announceInfo == ["amount": "12.00", "shop": "Bakery"])
            #expect(session.info.announceLogo == Data(logo))
            phone.ostiary.stop(session)
            _ = try await phone.stopped()
        }
        #expect(await phone.server.with { $0.logoCalls } == 1)
    }

    @Test("S4-09 an image that is not the signed one, is too long or does not come is left out: told, and the login goes on", arguments: 0..<3)
    func leftOut(_ mishap: Int) async throws {
        let phone = try await TestPhone.enrolled()
        let logo = logo
        await phone.server.with { server in
            server.settings.logo = mishap == 1 ? [UInt8](repeating: 7, count: 65_537) : logo
            server.mishaps.tamperLogo = { bytes in
                switch mishap {
                case 0: [bytes[0] ^ 1] + bytes.dropFirst()
                case 1: bytes
                default: []
                }
            }
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (error, _) = try await phone.failure()
        #expect(error == .logoUnavailable && error.advice == .retry)
        let (session, accounts) = try await phone.confirmLogin()
        #expect(session.info.announceLogo == nil)
        phone.ostiary.setAccount(accounts.first, for: session, with: "yes, 12.00")
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(await phone.server.with { $0.userInputs } == ["yes, 12.00"])
    }
}
