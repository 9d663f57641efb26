import Foundation
import NIOCore

/// Whether the system gives this process the threads that it takes. With fewer its libraries end it without a word, or wait for ever for one that does
/// not come.
package enum ThreadRoom {
    /// One for the event loop of each processor that the container may use; tasks, signals, the log and what waits for the disk have a few together.
    package static var needed: Int { System.coreCount + 8 }

    /// Ends the process with 1, and says why, when there are too few, or too little memory beside them. To be called while there is one thread.
    package static func check() {
        AddressRoom.settle()
        let made = AddressRoom.besideReserve { count(upTo: needed) }
        guard let reason = reason(made, of: needed) else { return }
        // By the descriptor itself: the log would want a thread.
        FileHandle.standardError.write(Data("ostiary: \(reason)\n".utf8))
        exit(1)
    }

    /// - Parameter made: how many there were beside the reserve of memory; nil when that alone was too much.
    /// - Returns: nil when that is enough.
    package static func reason(_ made: Int?, of needed: Int) -> String? {
        guard let made else {
            return "the system gives this process less memory than it needs, \(AddressRoom.reserve >> 20) MiB beside the program itself: raise it "
                + "(ulimit -v)"
        }
        guard made < needed else { return nil }
        return "the system gives this process \(made) threads beside its first, and it needs \(needed): raise their number (TasksMax=, the pids of a "
            + "container, ulimit -u) or its memory (ulimit -v)"
    }

    /// How many threads there can be at a time beside this one, `most` at most.
    package static func count(upTo most: Int) -> Int {
        #if canImport(Glibc)
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        defer { pthread_mutex_destroy(gate) }
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        while threads.count < most {
            var thread = pthread_t()
            let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
                guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                pthread_mutex_lock(gate)
                pthread_mutex_unlock(gate)
                return nil
            }
            guard pthread_create(&thread, nil, wait, gate) == 0 else { break }
            threads.append(thread)
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        return threads.count
        #else
        most
        #endif
    }
}
