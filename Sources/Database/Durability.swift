/// What a power cut may take of a transaction after its caller has heard that it was committed (docs/decisions/0063).
package enum Durability: CaseIterable, Sendable {
    /// Nothing of it, and nothing of what it saw: all of that is on stable storage before its caller hears of it, also if it changed nothing itself.
    case hard
    /// All of it, since it waits for no disk: so nobody may rely on it. What is gone is always the last: no later transaction is there without it, and
    /// a hard one after it makes it durable, too. A crash of this process takes nothing.
    case soft
}
