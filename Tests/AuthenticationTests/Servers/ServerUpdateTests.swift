import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("ServerUpdate")
struct ServerUpdateTests {
    private let fresh = ServerParameters(name: "Example")

    private func applied(_ change: (inout ServerUpdate) -> Void) throws -> ServerParameters {
        var update = ServerUpdate()
        change(&update)
        return try update.applied(to: fresh)
    }

    private func refusal(_ change: (inout ServerUpdate) -> Void) -> ServerUpdateError? {
        do { _ = try applied(change) } catch let error as ServerUpdateError { return error } catch { return nil }
        return nil
    }

    @Test("S1-05 a new server watches its logins, asks for the PIN each time, takes standing codes for 90 s and has no flags")
    func defaults() {
        #expect(fresh.pingTime == 300)
        #expect(fresh.patience == 315)
        #expect(fresh.pinTimeout == 0)
        #expect(fresh.pinTransTimeout == 0)
        #expect(fresh.staticQRAge == 90)
        #expect(fresh.flags.isEmpty)
        #expect(fresh.logo == nil)
    }

    @Test("A name that may not travel gives way to one that may", arguments: ["", "a\u{202E}b", String(repeating: "x", count: 256)])
    func unfitName(name: String) {
        #expect(ServerParameters(name: name).name == "Ostiary")
    }

    @Test("An empty update changes nothing")
    func emptyUpdate() throws {
        #expect(try applied { _ in } == fresh)
    }

    @Test("A part of the parameters is changed and the rest stays")
    func partialUpdate() throws {
        let changed = try applied { update in
            update.name = "Bank"
            update.pinTimeout = 5
            update.flags = ["SKIP_ENROL_CONFIRMATION"]
        }
        #expect(changed.name == "Bank")
        #expect(changed.pinTimeout == 5)
        #expect(changed.flags == [.skipEnrolConfirmation])
        #expect(changed.pingTime == 300)
        #expect(changed.staticQRAge == 90)
    }

    @Test("Flags are replaced, not added to")
    func flagsAreReplaced() throws {
        let first = try applied { $0.flags = ["SKIP_ENROL_CONFIRMATION", "STRICT_LINKS"] }
        var update = ServerUpdate()
        update.flags = ["STRICT_LINKS"]
        #expect(try update.applied(to: first).flags == [.strictLinks])
    }

    @Test("Times outside their bounds are refused, those on the bound are taken")
    func bounds() throws {
        #expect(refusal { $0.pingTime = -1 } == .outOfRange(field: "pingTime", 0...604_800))
        #expect(refusal { $0.pingTime = 604_801 } == .outOfRange(field: "pingTime", 0...604_800))
        #expect(try applied { $0.pingTime = 604_800 }.pingTime == 604_800)
        #expect(refusal { $0.pinTimeout = -2 } == .outOfRange(field: "pinTimeout", -1...525_600))
        #expect(refusal { $0.pinTimeout = 525_601 } == .outOfRange(field: "pinTimeout", -1...525_600))
        #expect(try applied { $0.pinTimeout = -1 }.pinTimeout == -1)
        #expect(refusal { $0.pinTransTimeout = .min } == .outOfRange(field: "pinTransTimeout", -1...525_600))
        #expect(refusal { $0.staticQRAge = .max } == .outOfRange(field: "staticQrAge", 0...300))
        #expect(try applied { $0.staticQRAge = 0 }.staticQRAge == 0)
    }

    @Test("pingTime 0 means logins that nobody watches")
    func unwatched() throws {
        #expect(try applied { $0.pingTime = 0 }.patience == nil)
    }

    @Test("Text has at most 255 bytes and nothing that turns writing around")
    func text() throws {
        #expect(refusal { $0.name = "" } == .empty(field: "serverName"))
        #expect(refusal { $0.name = String(repeating: "ä", count: 128) } == .badText(field: "serverName"))
        #expect(refusal { $0.siteURL = "a\u{2066}b" } == .badText(field: "siteurl"))
        #expect(refusal { $0.owner = "\u{7}" } == .badText(field: "owner"))
        #expect(try applied { $0.appName = "" }.appName.isEmpty)
        #expect(try applied { $0.siteURL = "https://bank.example" }.siteURL == "https://bank.example")
    }

    @Test("Text that is said is one plain line; what was stored before that was asked is read, and may be said again")
    func plainLines() throws {
        func check(_ change: (inout ServerUpdate) -> Void, beside parameters: ServerParameters) throws {
            var update = ServerUpdate()
            change(&update)
            try update.checkTexts(beside: parameters)
        }
        let new = ServerParameters(name: "Timesheets")
        #expect(throws: ServerUpdateError.badText(field: "serverName")) { try check({ $0.name = "a\nb" }, beside: new) }
        #expect(throws: ServerUpdateError.badText(field: "owner")) { try check({ $0.owner = "a\u{061C}b" }, beside: new) }
        #expect(throws: ServerUpdateError.badText(field: "wsurl")) { try check({ $0.wsURL = "a\u{2028}" }, beside: new) }
        let old = try applied { $0.owner = "a\nb" }
        try check({ $0.owner = old.owner }, beside: old)
    }

    @Test(
        "A name in which there is nothing to see is refused, an empty text takes one away, and what was stored before is read and may be said again",
        arguments: [" ", "\u{200B}", "\u{3164}"])
    func blankNames(blank: String) throws {
        func check(_ change: (inout ServerUpdate) -> Void, beside parameters: ServerParameters) throws {
            var update = ServerUpdate()
            change(&update)
            try update.checkTexts(beside: parameters)
        }
        let new = try applied { $0.appName = "Doorway" }
        #expect(throws: ServerUpdateError.blank(field: "serverName")) { try check({ $0.name = blank }, beside: new) }
        #expect(throws: ServerUpdateError.blank(field: "appname")) { try check({ $0.appName = blank }, beside: new) }
        try check({ $0.appName = "" }, beside: new)
        let old = try applied {
            $0.name = blank
            $0.appName = blank
        }
        #expect(old.name == blank && ServerParameters(name: blank).name == blank)
        try check(
            {
                $0.name = old.name
                $0.appName = old.appName
            }, beside: old)
    }

    @Test("A flag that nobody knows is refused")
    func flags() {
        #expect(refusal { $0.flags = ["STRICT_LINKS", "MAGIC"] } == .unknownFlag("MAGIC"))
    }

    @Test("S2-07, S2-23 offline codes are off by default; ENABLE_OTP has them taken with six characters, LONG_OTP beside it with eight")
    func offlineCodes() throws {
        #expect(ServerParameters(name: "Shop").offlineCodes == nil)
        #expect(try applied { $0.flags = ["LONG_OTP"] }.offlineCodes == nil)
        #expect(try applied { $0.flags = ["ENABLE_OTP"] }.offlineCodes == .six)
        #expect(try applied { $0.flags = ["ENABLE_OTP", "LONG_OTP"] }.offlineCodes == .eight)
    }

    @Test("An SVG is text in UTF-8 with its tag anywhere, and nothing that only begins like the tag")
    func drawnLogo() throws {
        for text in ["<svg/>", "<?xml version='1.0'?><!-- <sv -->\n<<svg>", "é <svg"] {
            #expect(try applied { $0.logo = Array(text.utf8) }.logo?.format == .svg)
        }
        for bytes in [Array("<sv g>".utf8), Array("<sv".utf8), Array("svg".utf8), [0xFF] + Array("<svg/>".utf8)] {
            #expect(refusal { $0.logo = bytes } == .badLogo)
        }
    }

    @Test("A logo is a picture by its first bytes, of at most 64 KiB; an empty one takes it away")
    func logo() throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let withLogo = try applied { $0.logo = png }
        #expect(withLogo.logo?.format == .png)
        #expect(withLogo.logo?.hash == SHA(png))
        #expect(refusal { $0.logo = Array("GIF89a".utf8) } == .badLogo)
        #expect(refusal { $0.logo = png + [UInt8](repeating: 0, count: 65_536) } == .badLogo)
        #expect(refusal { $0.logo = Array(png.dropLast()) } == .badLogo)
        var none = ServerUpdate()
        none.logo = []
        #expect(try none.applied(to: withLogo).logo == nil)
    }

    @Test("A43: a logo that would hold up whoever draws it is refused where it is new, and one that was stored before is read and may be sent back")
    func plainLogo() throws {
        let heavy = TestPicture.png(width: 20_000, height: 20_000)
        var update = ServerUpdate()
        update.logo = heavy
        #expect(throws: ServerUpdateError.badLogo) { try update.checkLogo(beside: fresh) }
        try update.checkLogo(beside: update.applied(to: fresh))
        update.logo = TestPicture.svg(##"<use href="#a"/>"##)
        #expect(throws: ServerUpdateError.badLogo) { try update.checkLogo(beside: fresh) }
        update.logo = TestPicture.jpeg()
        try update.checkLogo(beside: fresh)
        update.logo = []
        try update.checkLogo(beside: fresh)
    }

    @Test("Each refusal says which field and what it takes")
    func words() {
        #expect(ServerUpdateError.outOfRange(field: "pingTime", 0...604_800).description == "pingTime lies between 0 and 604800")
        #expect(ServerUpdateError.empty(field: "serverName").description == "serverName may not be empty")
        #expect(ServerUpdateError.unknownFlag("X").description == "serverFlags does not know X")
    }
}

@Suite("ServerService")
struct ServerServiceTests {
    @Test("S1-08 parameters are read and updated, one call each")
    func readAndUpdate() async throws {
        let world = try await DomainFixture()
        try await world.update { $0.pinTimeout = 7 }
        #expect(try await world.servers.server(world.server).server.parameters.pinTimeout == 7)
        #expect(try await world.servers.servers().map(\.server.id) == [world.server, world.neighbour.server])
    }

    @Test("An update that is refused changes nothing, however much of it was right")
    func refusedUpdate() async throws {
        let world = try await DomainFixture()
        let before = try await world.snapshot()
        await #expect(throws: ServerUpdateError.unknownFlag("MAGIC")) {
            try await world.update { update in
                update.name = "Bank"
                update.flags = ["MAGIC"]
            }
        }
        #expect(try await world.snapshot() == before)
    }

    @Test("A server that does not exist can be neither read nor updated")
    func unknown() async throws {
        let world = try await DomainFixture()
        let stranger = ServerID(using: world.random)
        await #expect(throws: UnknownServer()) { try await world.servers.server(stranger) }
        await #expect(throws: UnknownServer()) { try await world.servers.update(stranger, with: ServerUpdate(), by: .backend, at: world.now) }
    }

    @Test("A server counts its own accounts only, and knows its newest login")
    func activity() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.logIn()
        let activity = try await world.servers.server(world.server).activity
        #expect(activity == ServerActivity(accountCount: 1, lastLogin: world.now))
        #expect(try await world.servers.server(world.neighbour.server).activity == ServerActivity(accountCount: 0, lastLogin: nil))
    }

    @Test("A logo is found by its hash")
    func logo() async throws {
        let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)
        let world = try await DomainFixture { $0.logo = svg }
        #expect(try await world.servers.logo(hash: SHA(svg))?.bytes == svg)
        #expect(try await world.servers.logo(hash: SHA([])) == nil)
    }
}
