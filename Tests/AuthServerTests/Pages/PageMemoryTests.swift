import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Page memory")
struct PageMemoryTests {
    private let start = Instant(1_000)

    @Test("After a scan the page waits for that phone, and then shows the code again")
    func waitsForPhone() {
        var memory = PageMemory()
        #expect(memory.state(.waiting, of: .login, at: start) == .waiting)
        memory.noteScan(at: start)
        #expect(memory.state(.waiting, of: .login, at: start + 29) == .scanned)
        #expect(memory.state(.waiting, of: .login, at: start + 30) == .waiting)
    }

    @Test("What the store knows goes before what the page remembers")
    func believesStore() {
        var memory = PageMemory()
        memory.noteScan(at: start)
        #expect(memory.state(.denied, of: .login, at: start) == .denied)
        #expect(memory.state(.waiting, of: .login, at: start + 1) == .waiting)
    }

    @Test("An enrolment that a phone gave back stays refused until it begins anew or another phone has it")
    func remembersRefusal() {
        var memory = PageMemory()
        #expect(memory.state(.waiting, of: .enrol, at: start) == .waiting)
        #expect(memory.state(.scanned, of: .enrol, at: start) == .scanned)
        #expect(memory.state(.waiting, of: .enrol, at: start) == .declined)
        #expect(memory.state(.waiting, of: .enrol, at: start + 5) == .declined)
        #expect(memory.state(.scanned, of: .enrol, at: start + 6) == .scanned)
    }
}
