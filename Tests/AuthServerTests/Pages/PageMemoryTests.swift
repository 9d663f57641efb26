import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Page memory")
struct PageMemoryTests {
    @Test("A phone that read the code takes nothing off the page: the code stays, with a word beside it")
    func hint() {
        var memory = PageMemory()
        #expect(memory.state(.waiting, of: .login) == .waiting && !memory.isRead)
        memory.noteScan()
        #expect(memory.state(.waiting, of: .login) == .waiting && memory.isRead)
        #expect(memory.state(.waiting, of: .login) == .waiting && memory.isRead)
    }

    @Test("What the store knows goes before what the page remembers: being answered is claimed, until it ends")
    func believesStore() {
        var memory = PageMemory()
        memory.noteScan()
        for _ in 0..<3 { #expect(memory.state(.scanned, of: .login) == .scanned && !memory.isRead) }
        #expect(memory.state(.denied, of: .login) == .denied)
        #expect(memory.state(.waiting, of: .login) == .waiting && !memory.isRead)
    }

    @Test("An enrolment that a phone gave back stays refused until it begins anew or another phone has it")
    func remembersRefusal() {
        var memory = PageMemory()
        #expect(memory.state(.waiting, of: .enrol) == .waiting)
        #expect(memory.state(.scanned, of: .enrol) == .scanned)
        #expect(memory.state(.waiting, of: .enrol) == .declined)
        #expect(memory.state(.waiting, of: .enrol) == .declined)
        #expect(memory.state(.scanned, of: .enrol) == .scanned)
    }
}
