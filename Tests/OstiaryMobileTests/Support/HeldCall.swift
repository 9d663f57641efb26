/// A place at which a server of a test stops until the test lets it go on, and hears that somebody is there.
final class HeldCall: Sendable {
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    private let (gate, opening) = AsyncStream.makeStream(of: Void.self)

    /// The server's side: says that a call has come, and waits.
    func pass() async {
        arrival.finish()
        for await _ in gate {}
    }

    /// Returns when the first call has come.
    func arrived() async { for await _ in arrivals {} }

    /// Lets go on what waits, and whatever comes.
    func open() { opening.finish() }
}
