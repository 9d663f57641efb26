import Foundation
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import OstiaryPhone

@Suite("What the phone page sends is for its program alone", .timeLimit(.minutes(10)))
struct PhonePageSealTests {
    /// Made by an implementation of HKDF and AES-GCM that is none of ours.
    private static let sealed: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x00, 0x00, 0x01, 0x02, 0xFD, 0x69, 0x7B, 0x06, 0x99, 0x22, 0x0F, 0x90, 0x90, 0x0A, 0xBA,
        0xF9,
        0xCA, 0x6B, 0x2B, 0x7A, 0x09, 0xDC, 0xE6, 0x28, 0x4B, 0xD4, 0x0A, 0x55, 0x3A, 0x65, 0x94, 0xAD, 0x33, 0x3C, 0x62, 0x9A, 0x64, 0x40, 0xEA,
        0x9C,
        0xE3, 0xE9, 0x6F, 0x3C,
    ]
    private static let path = "/phones/0/key"
    private static let type: [String: String?] = ["Content-Type": "application/octet-stream"]

    @Test("A44: a call is sealed under a key of the secret that is sent to nobody, for its path; one bit more, less or other, and it is none")
    func seal() throws {
        let key = PageSealKey(secret: "keykeykey")
        let plain = Array(#"{"question":3,"key":"9"}"#.utf8)
        #expect(key.open(Self.sealed, for: Self.path) == PageSealKey.Opened(bytes: plain, sender: 0x0001_0203_0405_0607, count: 258))
        #expect(try key.seal(plain, for: Self.path, sender: 0x0001_0203_0405_0607, count: 258) == Self.sealed)
        #expect(key.open(Self.sealed, for: "/phones/1/key") == nil && key.open(Self.sealed, for: Self.path + "?") == nil)
        #expect(PageSealKey(secret: "keykeykez").open(Self.sealed, for: Self.path) == nil)
        for length in Self.sealed.indices { #expect(key.open(Array(Self.sealed[..<length]), for: Self.path) == nil) }
        #expect(key.open(Self.sealed + [0], for: Self.path) == nil)
        for bit in 0..<Self.sealed.count * 8 {
            var other = Self.sealed
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(key.open(other, for: Self.path) == nil)
        }
        #expect(key.open(try key.seal([], for: "/", sender: .max, count: .max), for: "/") == PageSealKey.Opened(bytes: [], sender: .max, count: .max))
    }

    @Test("A number counts once, of each page for itself, also when calls overtake each other; what lies further back than 64 is not known any more")
    func counts() async {
        let counts = SealedCounts()
        for (number, isNew) in [(5, true), (5, false), (4, true), (4, false), (7, true), (6, true), (5, false), (7, false), (0, true), (0, false)]
            as [(UInt32, Bool)]
        {
            #expect(await counts.take(number, of: 1) == isNew, "\(number)")
        }
        #expect(await counts.take(5, of: 2))
        // 63 below the highest is known, 64 below is not.
        #expect(await counts.take(70, of: 1))
        #expect(await !counts.take(7, of: 1))
        #expect(await counts.take(8, of: 1))
        #expect(await !counts.take(6, of: 1))
        // Far ahead nothing near has been, and nothing from before comes back.
        #expect(await counts.take(.max, of: 1))
        #expect(await counts.take(.max - 63, of: 1))
        #expect(await !counts.take(.max - 64, of: 1))
        #expect(await !counts.take(70, of: 1))
        #expect(await !counts.take(.max, of: 1))
    }

    @Test("A44: a digit counts when it comes sealed for its call, and once; in clear, again, or under another path it does nothing")
    func digits() async throws {
        try await ServersFixture.run { world in
            try await world.enrol(try world.phone())
            world.clock.advance(61)
            try await RunningPage.with(world) { page in
                try await page.scan(try await world.movingCode(world.backend.newNonce()))
                try await page.confirm(try await page.until(screen: "login"))
                let asked = try await page.until(screen: "factor")
                let digit = Array(#"{"question":\#(asked["question"]?.int ?? -1),"key":"2"}"#.utf8)
                let typed = { try await page.shown()["factor"]?["typed"]?.int }

                // Another page that was loaded with the same address: its numbers are its own.
                let (key, other) = (PageSealKey(secret: page.key), CallNumbers())
                let sealed = try key.seal(digit, for: Self.path, sender: other.sender, count: 0)
                for (path, body) in [
                    (Self.path, digit), (Self.path, []), ("/phones/0/clear-history", sealed), (Self.path + "?", sealed),
                    (Self.path, try PageSealKey(secret: page.secret).seal(digit, for: Self.path, sender: other.sender, count: 0)),
                ] {
                    let answer = try await page.send(.POST, path, Self.type, body: body, isSealed: false)
                    #expect(answer.status == 400 && answer.text.contains("not_sealed"), "\(path) \(answer.text)")
                }
                #expect(try await typed() == 0)
                // What was refused for its path has not counted.
                let first = try await page.send(.POST, Self.path, Self.type, body: sealed, isSealed: false)
                let then = try await page.shown()
                #expect(first.status == 200, "\(first.status) \(first.text) \(then)")
                #expect(try await typed() == 1)
                #expect(try await page.send(.POST, Self.path, Self.type, body: sealed, isSealed: false).status == 400)
                #expect(try await typed() == 1)
                let next = try key.seal(digit, for: Self.path, sender: other.sender, count: 1)
                let second = try await page.send(.POST, Self.path, Self.type, body: next, isSealed: false)
                #expect(second.status == 200, "\(second.status) \(second.text)")
                #expect(try await typed() == 2)
            }
        }
    }
}
