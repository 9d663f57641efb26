import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Page memory")
struct PageMemoryTests {
    @Test("A phone that read the code is remembered as long as the code is shown, and no longer")
    func hint() {
        var memory = PageMemory()
        memory.note(.waiting)
        #expect(!memory.isRead)
        memory.noteScan()
        for _ in 0..<2 {
            memory.note(.waiting)
            #expect(memory.isRead)
        }
        memory.note(.scanned)
        #expect(!memory.isRead)
        memory.note(.waiting)
        #expect(!memory.isRead)
    }
}
