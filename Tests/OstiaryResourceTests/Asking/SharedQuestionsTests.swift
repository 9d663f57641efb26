import OstiaryProtocol
import Synchronization
import Testing

@testable import OstiaryResource

@Suite("Questions that are shared", .timeLimit(.minutes(5)))
struct SharedQuestionsTests {
    private let now = Fixture.now
    private let shared = SharedQuestions<String>()
    private let door = Door()

    /// Who is asked: what is true when a question comes is the answer that goes back when the door is opened.
    private actor Door {
        private(set) var asked = 0
        private var truth: Result<String, Outage> = .success("in")
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func ask() async throws(Outage) -> String {
            asked += 1
            let answer = truth
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
            // As a call over HTTP ends when whoever made it is gone.
            guard !Task.isCancelled else { throw .unreachable }
            return try answer.get()
        }

        func changes(_ result: Result<String, Outage>) { truth = result }

        func opens() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    private func question(_ secret: String = "token", age: UInt64 = 0, at moment: Instant? = nil) -> SharedQuestions<String>.Question {
        shared.question(about: secret, youngerThan: age, at: moment ?? now) { [door] () async throws(Outage) in try await door.ask() }
    }

    private func result(_ question: SharedQuestions<String>.Question) async -> Result<String, Outage> {
        do throws(Outage) { return .success(try await question.answer()) } catch { return .failure(error) }
    }

    private func isUnderWay(_ count: Int = 1) async { while await door.asked < count { await Task.yield() } }

    @Test("A hundred callers with one token, where an answer may be ten seconds old, are one question; another token is another")
    func herd() async throws {
        let first = question(age: 10)
        await isUnderWay()
        let later = (0..<99).map { number in question(age: 10, at: now + UInt64(number) / 10) }
        #expect(later.allSatisfy { $0 === first })
        let other = question("token 2", age: 10)
        #expect(other !== first)
        await door.opens()
        for each in later + [other] { #expect(await result(each) == .success("in")) }
        #expect(await door.asked == 2)
    }

    @Test("Where nothing may be old, who comes while one is asked shares the next, which is asked when that one has ended: two for a hundred callers")
    func nothingOld() async throws {
        let first = question()
        await isUnderWay()
        let later = (0..<99).map { _ in question() }
        #expect(later.allSatisfy { $0 !== first && $0 === later[0] })
        await door.opens()
        for each in later { #expect(await result(each) == .success("in")) }
        #expect(await door.asked == 2)
    }

    @Test("S0-23 a stop while a question is under way is seen by whoever comes after it, and not by those who came before")
    func stop() async throws {
        let before = question()
        await isUnderWay()
        await door.changes(.success("out"))
        let after = question()
        await door.opens()
        #expect(await result(before) == .success("in"))
        #expect(await result(after) == .success("out"))
    }

    @Test("A question that was asked too long ago is not shared, however slow its answer is")
    func old() async throws {
        let first = question(age: 10)
        await isUnderWay()
        let (young, old) = (question(age: 10, at: now + 9), question(age: 10, at: now + 10))
        #expect(young === first && old !== first)
        // It is not yet asked: whoever comes shares it.
        #expect(question(age: 0, at: now + 30) === old)
        await door.opens()
        #expect(await result(old) == .success("in"))
    }

    @Test("A question that fails fails for all who share it, and for nobody who comes afterwards")
    func failure() async throws {
        await door.changes(.failure(.status(502)))
        let sharing = (0..<10).map { _ in question(age: 60) }
        await isUnderWay()
        await door.changes(.success("in"))
        let next = question()
        await door.opens()
        for each in sharing { #expect(await result(each) == .failure(.status(502))) }
        #expect(await result(next) == .success("in"))
        let afterwards = question(age: 60)
        #expect(afterwards !== sharing[0] && afterwards !== next)
        #expect(await result(afterwards) == .success("in"))
        #expect(await door.asked == 3)
    }

    @Test("A caller who goes away ends it for nobody else, be it the one who began it")
    func cancelled() async throws {
        let first = Task { [self] in await result(question(age: 10)) }
        await isUnderWay()
        let second = question(age: 10)
        first.cancel()
        await door.opens()
        #expect(await result(second) == .success("in"))
        #expect(await door.asked == 1)
    }
}
