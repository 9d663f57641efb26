import Authentication
import OstiaryProtocol
import Testing

@Suite("Parameters of a virtual server (S1-08)")
struct ServerUpdateTests {
    private let standard = ServerParameters(name: "Shop")

    @Test("The defaults are those of the documents")
    func defaults() {
        #expect(standard.pingTime == 300 && standard.pinTimeout == 0 && standard.pinTransTimeout == 0)
        #expect(standard.flags.isEmpty && standard.staticQRAge == 90 && standard.logo == nil)
    }

    @Test("What an update does not name stays")
    func partial() throws {
        var update = ServerUpdate()
        update.pinTimeout = 5
        let changed = try update.applied(to: standard)
        #expect(changed.pinTimeout == 5 && changed.name == "Shop" && changed.pingTime == 300)
    }

    @Test("A wrong value is refused by the name of its field")
    func refused() {
        func reason(_ change: (inout ServerUpdate) -> Void) -> ServerUpdateError? {
            var update = ServerUpdate()
            change(&update)
            do { _ = try update.applied(to: standard) } catch { return error }
            return nil
        }
        #expect(reason { $0.pinTimeout = -2 } == .outOfRange(field: "pinTimeout", -1...525_600))
        #expect(reason { $0.pingTime = -1 } == .outOfRange(field: "pingTime", 0...604_800))
        #expect(reason { $0.name = "" } == .empty(field: "serverName"))
        #expect(reason { $0.siteURL = "a\u{202E}b" } == .badText(field: "siteurl"))
        #expect(reason { $0.flags = ["SKIP_ENROL_CONFIRMATION", "NO_SUCH"] } == .unknownFlag("NO_SUCH"))
        #expect(reason { $0.flags = ["ENABLE_OTP"] } == .flagNotServed("ENABLE_OTP"))
        #expect(reason { $0.logo = [1, 2, 3] } == .badLogo)
    }

    @Test("Logins of a server without pings are not watched (S1-05)")
    func patience() throws {
        var update = ServerUpdate()
        update.pingTime = 0
        #expect(try update.applied(to: standard).patience == nil)
        #expect(standard.patience == 315)
    }
}
