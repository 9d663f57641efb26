import Testing

@testable import Database

@Suite("A doubt whether a pooler hands connections on")
struct PoolingDoubtTests {
    @Test("One looks at a time: another waits, and does not look itself when its time is over")
    func oneAtATime() throws {
        let doubt = PoolingDoubt()
        // Until the first connection was made nobody knows what is between.
        let first = try Self.look(doubt)
        #expect(throws: PostgreSQLLink.Loss.self) { try doubt.turn(at: 0, by: Self.over) }
        doubt.end(.look(first))
        doubt.note(isPoolerBetween: true)
        let second = try Self.look(doubt)
        // An end that comes late ends no other's.
        doubt.end(first, .nothing)
        let loss = #expect(throws: PostgreSQLLink.Loss.self) { try doubt.turn(at: 0, by: Self.over) }
        #expect(loss?.isSilence == true)
        #expect(doubt.settle(second.generation))
        doubt.end(.look(second))
        for _ in 0..<2 { #expect(try Self.freeOf(doubt.turn(at: 0, by: Self.over)) == second.generation) }
    }

    @Test("What an older look has found clears no newer doubt, and a connection from before that is no good")
    func newerDoubt() throws {
        let doubt = PoolingDoubt()
        doubt.note(isPoolerBetween: true)
        let former = try Self.look(doubt)
        doubt.doubt()
        #expect(!doubt.settle(former.generation))
        doubt.end(.look(former))
        let next = try Self.look(doubt)
        #expect(next.generation != former.generation && doubt.settle(next.generation))
        doubt.end(.look(next))
        let generation = try #require(try Self.freeOf(doubt.turn(at: 0, by: Self.over)))
        #expect(doubt.isOf(generation))
        doubt.doubt()
        // Settled again it is another one all the same.
        let last = try Self.look(doubt)
        #expect(doubt.settle(last.generation) && !doubt.isOf(generation))
    }

    @Test("Behind a pooler a connection that is lost raises the doubt anew, once for all that go with it; without one it raises none")
    func loss() throws {
        let doubt = PoolingDoubt()
        doubt.note(isPoolerBetween: false)
        doubt.doubtAfterLoss()
        let turn = try doubt.turn(at: 0, by: Self.over)
        var isStraight = false
        if case .straight = turn { isStraight = true }
        #expect(isStraight, "nobody looks where no pooler was between")
        doubt.note(isPoolerBetween: true)
        let first = try Self.look(doubt)
        doubt.doubtAfterLoss()
        #expect(doubt.settle(first.generation), "it is doubted already")
        doubt.end(.look(first))
        for _ in 0..<2 { doubt.doubtAfterLoss() }
        let next = try Self.look(doubt)
        #expect(next.generation == first.generation + 1)
        doubt.end(.look(next))
    }

    @Test("All who wait for a look hear what it found, of their own host, and its first word counts")
    func waiting() throws {
        let found = PoolingLook(at: 1, of: 5)
        found.end(.handedOn)
        found.end(.nothing)
        for _ in 0..<3 {
            #expect(throws: PostgreSQLLink.Loss(reason: LinkMark.handedOn)) { try found.turn(at: 1, by: Self.over) }
            #expect(try found.turn(at: 0, by: Self.over).map(Self.freeOf) == nil)
        }
        let full = PoolingLook(at: 1, of: 5)
        full.end(.noRoom)
        #expect(try full.turn(at: 1, by: Self.over).flatMap(Self.freeOf) == 5)
        let vain = PoolingLook(at: 1, of: 5)
        vain.end(.nothing)
        #expect(try vain.turn(at: 1, by: .never).map(Self.freeOf) == nil)
    }

    @Test("Where no pooler is between nobody waits for anybody, until one was met")
    func straight() throws {
        let doubt = PoolingDoubt()
        let first = try Self.look(doubt)
        doubt.note(isPoolerBetween: false)
        doubt.end(.look(first))
        for _ in 0..<2 {
            guard case .straight = try doubt.turn(at: 0, by: Self.over) else {
                Issue.record("waits for others")
                return
            }
        }
        doubt.note(isPoolerBetween: true)
        // Of another host.
        doubt.note(isPoolerBetween: false)
        _ = try Self.look(doubt)
    }

    private static let over = Deadline(milliseconds: 0)

    private static func look(_ doubt: PoolingDoubt) throws -> PoolingLook {
        guard case .look(let look) = try doubt.turn(at: 0, by: over) else { throw SQLError.unavailable }
        return look
    }

    private static func freeOf(_ turn: PoolingDoubt.Turn) -> Int? {
        guard case .free(let generation) = turn else { return nil }
        return generation
    }
}
