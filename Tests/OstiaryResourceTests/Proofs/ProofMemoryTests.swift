import OstiaryProtocol
import OstiaryResource
import Testing

@Suite("The memory of proofs")
struct ProofMemoryTests {
    private let now: UInt64 = 1_800_000_000

    private func name(_ number: Int) -> [UInt8] { SHA(Array("\(number)".utf8)) }

    @Test("One is remembered to the second in which it would be good for the last time")
    func remembered() throws {
        let memory = ProofMemory()
        #expect(try memory.spend(name(1), until: now + 60, now: now))
        for second in [UInt64(0), 1, 30, 59, 60] { #expect(try !memory.spend(name(1), until: now + 60 + second, now: now + second)) }
        #expect(try memory.spend(name(2), until: now + 60, now: now))
    }

    @Test("A call whose clock is behind that of another still finds what the other might have forgotten")
    func behind() throws {
        let memory = ProofMemory()
        #expect(try memory.spend(name(1), until: now + 60, now: now))
        #expect(try memory.spend(name(2), until: now + 150, now: now + 119))
        #expect(try !memory.spend(name(1), until: now + 60, now: now + 60))
    }

    @Test("When it is full nothing is forgotten to make room; what is over makes some")
    func full() throws {
        let memory = ProofMemory(most: 100)
        for number in 0..<100 { #expect(try memory.spend(name(number), until: now + 120, now: now)) }
        #expect(throws: ProofMemoryFull()) { try memory.spend(name(100), until: now + 120, now: now + 119) }
        // One that was there is still told from a new one.
        #expect(try !memory.spend(name(0), until: now + 120, now: now + 119))
        #expect(try memory.spend(name(100), until: now + 300, now: now + 180))
        for number in 101..<200 { #expect(try memory.spend(name(number), until: now + 300, now: now + 180)) }
        #expect(throws: ProofMemoryFull()) { try memory.spend(name(200), until: now + 300, now: now + 180) }
    }

    @Test("Of 64 who spend one at the same time one does")
    func together() async {
        let memory = ProofMemory()
        let spent = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { (try? memory.spend(self.name(1), until: self.now + 60, now: self.now)) == true } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(spent == 1)
    }
}
