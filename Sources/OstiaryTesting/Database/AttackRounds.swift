import Foundation

/// How often many at once try what counts once: as often in `make test`, and `OSTIARY_ATTACK_ROUNDS` times in `make soak`; a third of either on PostgreSQL.
package func attackRounds(_ usual: Int) -> Int {
    let wanted = ProcessInfo.processInfo.environment["OSTIARY_ATTACK_ROUNDS"].flatMap { Int($0) } ?? usual
    return max(1, DatabaseEngine.current == .sqlite ? wanted : wanted / 3)
}

/// After which a test that does so is taken for a hang. The tests of `make soak` run beside each other, and perhaps beside other work.
package let attackMinutes = ProcessInfo.processInfo.environment["OSTIARY_ATTACK_ROUNDS"] == nil ? 60 : 240
