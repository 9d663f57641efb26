import OstiaryProtocol
import Testing

@testable import OstiaryResource

@Suite("What answers are remembered")
struct AnswerMemoryTests {
    private let now = Fixture.now

    @Test("A thousand and one answers are a thousand in memory: what finds no room is asked about each time, and room comes with time")
    func bound() {
        let memory = AnswerMemory<Int>(longest: 10, most: 1_000)
        for number in 0...1_000 { memory.keep(number, about: "token \(number)", askedAt: now) }
        #expect(memory.answer(about: "token 999", youngerThan: 10, at: now + 9) == 999)
        #expect(memory.answer(about: "token 1000", youngerThan: 10, at: now) == nil)
        memory.keep(1_000, about: "token 1000", askedAt: now + 10)
        #expect(memory.answer(about: "token 1000", youngerThan: 10, at: now + 10) == 1_000)
    }

    @Test("One is as old as the question was, whichever way the clock goes; of two the later counts")
    func age() {
        let memory = AnswerMemory<Int>(longest: 10)
        memory.keep(1, about: "token", askedAt: now)
        #expect(memory.answer(about: "token", youngerThan: 5, at: now + 4) == 1 && memory.answer(about: "token", youngerThan: 5, at: now + 5) == nil)
        #expect(memory.answer(about: "token", youngerThan: 60, at: now + 10) == nil)
        #expect(memory.answer(about: "token", youngerThan: 10, at: now - 10) == nil)
        memory.keep(2, about: "token", askedAt: now + 3)
        #expect(memory.answer(about: "token", youngerThan: 10, at: now + 4) == 2)
    }

    @Test("Where nothing may be remembered nothing is")
    func none() {
        let memory = AnswerMemory<Int>(longest: 0)
        memory.keep(1, about: "token", askedAt: now)
        #expect(memory.answer(about: "token", youngerThan: 10, at: now) == nil)
    }
}
