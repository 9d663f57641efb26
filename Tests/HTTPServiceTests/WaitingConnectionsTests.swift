import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HTTPService

@Suite("Who makes room for the next connection")
struct WaitingConnectionsTests {
    private let loop = EmbeddedEventLoop()
    private let waiting = WaitingConnections()
    private let closed = Closed()

    private final class Closed: Sendable { let names = Mutex<[String]>([]) }

    private func connection(_ name: String) -> EmbeddedChannel {
        let (channel, closed) = (EmbeddedChannel(loop: loop), closed)
        channel.closeFuture.whenComplete { _ in closed.names.withLock { $0.append(name) } }
        return channel
    }

    private var names: [String] {
        loop.run()
        return closed.names.withLock { $0 }
    }

    @Test("Whoever has kept the server waiting longest goes; whoever is being answered stays, and waits anew from its answer on")
    func oldest() {
        let (first, second, third) = (connection("first"), connection("second"), connection("third"))
        for channel in [first, second, third] { waiting.begin(channel, isNew: true) }
        waiting.begin(first)
        waiting.end(second)
        waiting.makeRoom()
        #expect(names == ["first"])
        waiting.begin(second)
        waiting.makeRoom()
        waiting.makeRoom()
        #expect(names == ["first", "third", "second"])
    }

    @Test("Where nobody waits the next who is answered goes, once; whoever has just come may ask first")
    func wanted() {
        let (busy, other, new) = (connection("busy"), connection("other"), connection("new"))
        waiting.makeRoom()
        waiting.begin(new, isNew: true)
        #expect(names == [])
        waiting.end(new)
        waiting.begin(busy)
        #expect(names == ["busy"])
        waiting.begin(other)
        #expect(names == ["busy"])
    }
}
