import Foundation
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("Values of settings")
struct SettingValueTests {
    @Test(
        "An identity is read as base64url without padding or as hexadecimal digits, and nothing else",
        arguments: [
            ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s", true), (Self.identity, true), ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=", false),
            ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6", false), (Self.identity + "ab", false), (String(repeating: "xy", count: 32), false),
            ("", false),
        ])
    func identities(text: String, isOne: Bool) async throws {
        let settings = try await Settings.load(environment: [:], overrides: [.secondFactorIdentity: text])
        if isOne {
            #expect(try settings.identity(.secondFactorIdentity) == [UInt8](repeating: 0xAB, count: 32))
        } else {
            #expect(throws: SettingsError.self) { try settings.identity(.secondFactorIdentity) }
        }
    }

    @Test("No key of 32 random hexadecimal digits is refused: ten thousand of them are taken")
    func randomKeys() async throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<10_000 {
            let key = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
            #expect(holdsEnough(key), "\(key)")
        }
    }

    @Test("A logo is PNG or SVG by its content, and at most 64 KiB")
    func logo() throws {
        let folder = try TemporaryFolder()
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])
        #expect(try Logo(file: folder.write(png, to: "a.txt")).format == .png)
        #expect(try Logo(file: folder.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "b")).format == .svg)
        #expect(try Logo(file: folder.write(png + Data(count: 65536 - 9), to: "c")).bytes.count == 65536)
        #expect(throws: LogoError.tooLarge) { try Logo(file: folder.write(png + Data(count: 65536 - 8), to: "d")) }
        #expect(throws: LogoError.otherFormat) { try Logo(file: folder.write("GIF89a", to: "e.png")) }
        #expect(throws: LogoError.unreadable(path: folder.path, reason: "it is a folder: name the file in it")) { try Logo(file: folder.path) }
        #expect(throws: LogoError.unreadable(path: folder.file("f"), reason: "it is empty")) { try Logo(file: folder.write("", to: "f")) }
    }

    private static let identity = String(repeating: "ab", count: 32)
}
