import Foundation

/// How often many at once try what counts once: as often in `make test`, and `OSTIARY_ATTACK_ROUNDS` times in `make soak`; a third of either on PostgreSQL.
package func attackRounds(_ usual: Int) -> Int {
    let wanted = ProcessInfo.processInfo.environment["OSTIARY_ATTACK_ROUNDS"].flatMap { Int($0) } ?? usual
    return max(1, DatabaseEngine.current == .sqlite ? wanted : wanted / 3)
}
