import Testing

@testable import HTTPService

@Suite("Names of requests")
struct RequestNameTests {
    @Test("They are 32 digits of two numbers, zeros in front included")
    func digits() {
        #expect(RequestName.text(0, 0) == String(repeating: "0", count: 32))
        #expect(RequestName.text(0x0123_4567_89AB_CDEF, .max) == "0123456789abcdefffffffffffffffff")
        #expect(RequestName.text(10, 1) == "000000000000000a0000000000000001")
    }

    @Test("No two of a process are the same, and all begin alike")
    func different() {
        let names = (0..<1_000).map { _ in RequestName.next() }
        #expect(Set(names).count == 1_000 && Set(names.map { $0.prefix(16) }).count == 1)
    }
}
