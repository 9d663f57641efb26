import ArgumentParser
import Foundation

/// What a server that somebody else starts does when that somebody is gone.
package struct ParentOptions: ParsableArguments, Sendable {
    package static let flag = "--end-with-parent"

    @Flag(help: ArgumentHelp("End when standard input ends: for a program that starts this one and keeps the other end.", visibility: .hidden))
    var endWithParent = false

    package init() {}

    /// Begins to watch, on a thread of its own. However the parent ends, the kernel closes its end of the pipe.
    package func watch() {
        guard endWithParent else { return }
        Thread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            // As if the operator had sent it: open requests are answered first.
            kill(getpid(), SIGTERM)
        }.start()
    }
}
