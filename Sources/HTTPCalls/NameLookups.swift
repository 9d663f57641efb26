import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Names of servers, looked up ahead of a call, each by one thread at a time.
///
/// The HTTP client makes the lookups of each of its threads one after the other, and gives none up: a name whose name server is silent takes ten seconds of
/// that for each call, long after the call is over. So whoever calls often by a name that others choose waits here first, until it was looked up: as long as that
/// goes on no other lookup of this name is begun, and none by the client.
package final class NameLookups: Sendable {
    private let waiting = Mutex<[String: [AsyncStream<Void>.Continuation]]>([:])
    private let threads = DispatchQueue(label: "names", attributes: .concurrent)
    private let look: @Sendable (String) -> Void

    /// - Parameter look: looks a name up, and comes back when that is done, whatever came of it; the system's own way when left out.
    package init(_ look: @escaping @Sendable (String) -> Void = NameLookups.askSystem) { self.look = look }

    /// Comes back when the name was looked up, whether it is there or not. A number is no name.
    /// - Throws: as soon as the task is cancelled, and where it was before: a call that is given up must not be made after all.
    package func wait(for host: String) async throws(CancellationError) {
        if !Self.isNumber(host) { for await _ in end(of: host) {} }
        guard !Task.isCancelled else { throw CancellationError() }
    }

    /// Of IPv6 it has a colon, as no name has.
    private static func isNumber(_ host: String) -> Bool {
        host.utf8.contains(UInt8(ascii: ":")) || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }

    /// Ends with the lookup that is under way, or with one that is begun.
    func end(of host: String) -> AsyncStream<Void> {
        let (end, waiter) = AsyncStream.makeStream(of: Void.self)
        let isFirst = waiting.withLock { waiting in
            defer { waiting[host, default: []].append(waiter) }
            return waiting[host] == nil
        }
        if isFirst { begin(host) }
        return end
    }

    private func begin(_ host: String) {
        threads.async { [self] in
            look(host)
            for waiter in waiting.withLock({ $0.removeValue(forKey: host) }) ?? [] { waiter.finish() }
        }
    }

    /// What comes of it is left to the client, which asks once more.
    @Sendable
    package static func askSystem(for host: String) {
        var found: UnsafeMutablePointer<addrinfo>?
        if getaddrinfo(host, nil, nil, &found) == 0 { freeaddrinfo(found) }
    }
}
