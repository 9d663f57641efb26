import OstiaryTesting
import Testing

@Suite("Books of the PINs of a long run")
struct PINBooksTests {
    @Test("A new one begins with a change that is done when many of the old one are open, and with nothing else")
    func begun() {
        var books = PINBooks()
        for _ in 0..<21 { #expect(books.key(of: "alice", after: .unknown) == "alice") }
        #expect(books.key(of: "alice") == "alice")
        #expect(books.key(of: "alice", after: .done) == "alice, 1")
        #expect(books.key(of: "alice") == "alice, 1" && books.key(of: "alice", after: .done) == "alice, 1")
        for _ in 0..<21 { #expect(books.key(of: "alice", after: .unknown) == "alice, 1") }
        #expect(books.key(of: "alice", after: .done) == "alice, 2")
    }

    @Test("Few that are open leave it as it is, and so do those of somebody else")
    func kept() {
        var books = PINBooks()
        for _ in 0..<20 { _ = books.key(of: "alice", after: .unknown) }
        for _ in 0..<30 { _ = books.key(of: "bob", after: .unknown) }
        #expect(books.key(of: "alice", after: .done) == "alice")
    }

    @Test("As many as stay open in one are explained, and a PIN that was replaced is found in the next")
    func explained() {
        var calls: [OnePIN.Call] = []
        var moment = 0
        func note(_ key: String, _ action: OnePIN.Action, _ answer: OnePIN.Answer?) {
            moment += 1
            calls.append(
                ObservedCall("phone", key, action, invoked: .seconds(moment), answer.map { .answered($0, at: .seconds(moment)) } ?? .unknown))
        }
        for number in 0..<21 {
            note("alice", .set(number % 3), nil)
            note("alice", .enter(3), .wrong)
        }
        note("alice, 1", .set(1), .done)
        note("alice, 1", .enter(1), .right)
        #expect(OrderSearch(OnePIN()).faults(in: calls).isEmpty)
        // In the old book it may have been set again meanwhile.
        note("alice, 1", .enter(2), .right)
        #expect(OrderSearch(OnePIN()).faults(in: calls).count == 1)
    }
}
