import Foundation
import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// A PIN after use: not in memory as the kernel shows it, and in no file.
@Suite("A PIN leaves no trace", .serialized)
struct PINMemoryTests {
    @Test("S4-71 after a change to it, a login and a wrong try with it, a PIN is nowhere in the memory of this process, nor in a file of any side")
    func ownMemory() async throws {
        let canary = try Canary()
        try await ServersFixture.run(stretching: .argon2id) { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            let told = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .typed { canary.type(into: $0) }])
            #expect(told.last?.result == .success)
            let login = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.typed { canary.type(into: $0) }])
            #expect(login.end.session != nil)
            #expect(try ProcessMemory.own.places(of: canary.needle, except: canary.page) == [])

            let needle = Data(canary.needle)
            for file in try FileManager.default.subpathsOfDirectory(atPath: world.folder.url.path) {
                let content = try? Data(contentsOf: world.folder.url.appendingPathComponent(file))
                #expect(content?.range(of: needle) == nil, "\(file)")
            }
            withExtendedLifetime(canary) {}
        }
    }

    @Test("What is looked for is a PIN that a phone lets a person set: of a thousand drawn, none is too easy to guess")
    func canBeSet() throws {
        for _ in 0..<1_000 {
            let (canary, pin) = (try Canary(), PIN())
            canary.type(into: pin)
            #expect(pin.count == Canary.digits && !pin.isEasyToGuess)
            withExtendedLifetime(canary) {}
        }
    }

    @Test("The same search finds a PIN that somebody kept")
    func control() throws {
        let canary = try Canary()
        #expect(try ProcessMemory.own.places(of: canary.needle, except: canary.page) == [])
        let kept = Array(canary.needle)
        #expect(try !ProcessMemory.own.places(of: canary.needle, except: canary.page).isEmpty)
        withExtendedLifetime(kept) {}
        withExtendedLifetime(canary) {}
    }

    @Test("Nothing is too far away for the search: each of two thousand mappings")
    func everyMapping() throws {
        let canary = try Canary()
        let size = 3 * 4_096
        var pages: [UnsafeMutableRawPointer] = []
        defer { for page in pages { munmap(page, size) } }
        for _ in 0..<2_000 {
            let page = try #require(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
            try #require(page != MAP_FAILED)
            // A hole on both sides, so that neighbours stay mappings of their own.
            mprotect(page, 4_096, PROT_NONE)
            mprotect(page + 2 * 4_096, 4_096, PROT_NONE)
            pages.append(page)
        }
        for place in [pages.first, pages[1_000], pages.last].compactMap(\.self) {
            let copy = UnsafeMutableRawBufferPointer(start: place + 4_096, count: Canary.digits)
            copy.copyMemory(from: canary.needle)
            #expect(try ProcessMemory.own.places(of: canary.needle, except: canary.page).count == 1)
            copy.initializeMemory(as: UInt8.self, repeating: 0)
        }
        withExtendedLifetime(canary) {}
    }

    @Test("S4-71 a phone process that has logged in with a PIN, after a wrong one, holds neither; what it was told on its command line it does")
    func otherProcess() async throws {
        let pair = try await ProcessesFixture.running()
        let (pin, wrong, told) = ("938205714463", "275018394466", "no-secret-630518")
        let person = Person(try await pair.backend(), pair.phone(), pin: pin)
        try await person.enrol(in: pair.folder)
        let file = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        let phone = try person.phone.start(["login", file, "--hold", "60", "--user-input", told], pins: [wrong, pin])
        _ = try await phone.event("sessionLogin")
        let memory = ProcessMemory(of: phone.id)
        for digits in [pin, wrong] { #expect(try places(of: digits, memory) == []) }
        #expect(try !places(of: told, memory).isEmpty)
        phone.signal(SIGINT)
        try await phone.end()
        try await pair.stop()
    }

    private func places(of text: String, _ memory: ProcessMemory) throws -> [String] {
        try Array(text.utf8).withUnsafeBytes { try memory.places(of: $0) }
    }
}
