import Foundation
import OstiaryProtocol
import Testing

@testable import OstiaryPhone

/// Attack 1 of the threat model.
@Suite("Off-line guessing", .serialized)
struct OffLineGuessTests {
    @Test("Attack 1: one or two stolen stores tell nothing about the PIN; all three tell it")
    func everySubset() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        // A login, so that all that attempts leave behind is there as well.
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        try await pair.stop()

        let loot = try await StolenStores(pair: pair, home: person.phone.home).loot()
        let phone = try #require(loot.phone)
        let candidates = (0..<20).map { String(274_900 + $0) }
        let withPhone = try await Guesser(phone, candidates: candidates)
        let without = try await Guesser.withoutPhone(phone.scope, candidates: candidates)

        #expect(try withPhone.thatOpen(with: loot) == [Person.pin], "the positive control")
        for (name, part) in loot.properSubsets {
            let guesser = part.phone == nil ? without : withPhone
            #expect(try guesser.thatOpen(with: part).isEmpty, "with the \(name)")
        }
    }
}
