import Foundation
import OstiaryProtocol
import OstiaryTesting
import QRCode
import Testing

@testable import OstiaryPhone

@Suite("What a person hands to the phone")
struct LinkInputTests {
    private let code: [UInt8] = LoginLink(
        serverTag: [1, 2, 3, 4], sessionID: SessionID(using: SystemRandomSource()), issuedAt: 1, frame: 0,
        binding: .qrStatic, qrSecret: Array(repeating: 9, count: 32)
    ).encoded

    @Test("A link is a link; the same link in a file too")
    func links() throws {
        let link = Link.text(of: code, at: "https://login.example.org")
        #expect(try LinkInput.resolve(link) == .link(link))
        let folder = try TemporaryFolder()
        #expect(try LinkInput.resolve(try folder.write(Array((link + "\n").utf8), to: "link.txt")) == .link(link))
    }

    @Test("Bytes and pictures of a code were scanned")
    func scans() throws {
        let folder = try TemporaryFolder()
        #expect(try LinkInput.resolve(try folder.write(code, to: "code.bin")) == .scanned(code))
        let png = try QRSymbol(bytes: code).png()
        #expect(try LinkInput.resolve(try folder.write(png, to: "screen.png")) == .scanned(code))
        let link = Array(Link.text(of: code, at: "https://login.example.org").utf8)
        #expect(try LinkInput.resolve(try folder.write(try QRSymbol(bytes: link).png(), to: "link.png")) == .scanned(link))
    }

    @Test("What a device shows is a login code: as a link, in a file and in a picture")
    func devices() throws {
        let folder = try TemporaryFolder()
        let uri = "https://login.example.org/device?user_code=BCDF-GHJK"
        #expect(try LinkInput.resolve(uri, for: .login) == .link(uri))
        #expect(try LinkInput.resolve(try folder.write(Array((uri + "\n").utf8), to: "link.txt"), for: .login) == .link(uri))
        let png = try folder.write(try QRSymbol(bytes: Array(uri.utf8)).png(), to: "screen.png")
        #expect(try LinkInput.resolve(png, for: .login) == .scanned(Array(uri.utf8)))
        #expect(throws: LinkInputError.otherCommand(.login)) { try LinkInput.resolve(uri, for: .enrolment) }
    }

    @Test("A code of the other kind than the command takes is refused, as a link, as bytes and in a picture, with the command that takes it")
    func otherCommand() throws {
        let folder = try TemporaryFolder()
        let random = SystemRandomSource()
        let enrol = EnrolLink(
            rootHash: random.bytes(32), enrolID: EnrolmentID(using: random), enrolSecret: random.bytes(16), url: "https://login.example.org"
        ).encoded
        for (bytes, fits, other) in [(code, LinkInput.Purpose.login, LinkInput.Purpose.enrolment), (enrol, .enrolment, .login)] {
            let link = Link.text(of: bytes, at: "https://login.example.org")
            let picture = try folder.write(try QRSymbol(bytes: Array(link.utf8)).png(), to: "\(fits).png")
            for input in [link, try folder.write(bytes, to: "\(fits).bin"), picture] {
                #expect(try LinkInput.resolve(input, for: fits) == LinkInput.resolve(input))
                #expect(throws: LinkInputError.otherCommand(fits)) { try LinkInput.resolve(input, for: other) }
            }
        }
        #expect(LinkInputError.otherCommand(.login).description == "this is a login code: give it to ostiary phone login")
        #expect(LinkInputError.otherCommand(.enrolment).description == "this is an enrol code: give it to ostiary phone enrol")
    }

    @Test("What leads to no code says why")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let foreign = try folder.write(try QRSymbol(bytes: Array("https://example.org".utf8)).png(), to: "foreign.png")
        #expect(throws: LinkInputError.foreignCode(foreign)) { try LinkInput.resolve(foreign) }
        let text = try folder.write(Array("hello".utf8), to: "hello.txt")
        #expect(throws: LinkInputError.noCode(text)) { try LinkInput.resolve(text) }
        let empty = try folder.write([UInt8](), to: "empty")
        #expect(throws: LinkInputError.empty(empty)) { try LinkInput.resolve(empty) }
        #expect(throws: LinkInputError.neitherLinkNorFile("nowhere")) { try LinkInput.resolve("nowhere") }
        #expect(throws: LinkInputError.neitherLinkNorFile(folder.url.path)) { try LinkInput.resolve(folder.url.path) }
        #expect(throws: LinkInputError.inputTaken) { try LinkInput.resolve("-", isInputTaken: true) }
    }

    @Test(
        "Penalties are spelled for people",
        arguments: [(0, "0 s"), (59, "59 s"), (60, "1 min"), (125, "2 min 5 s"), (3600, "1 h"), (3725, "1 h 2 min")])
    func spelled(_ seconds: Int, _ words: String) {
        #expect(PenaltyCountdown.spelled(seconds) == words)
    }
}
