import OstiaryProtocol

/// What a call was about and what became of it, for whoever writes it down. Nothing in it is a secret.
package struct CallRecord: Equatable, Sendable {
    package enum Kind: String, Sendable { case attempt, proof, close, leave, reset }

    package let kind: Kind
    /// The virtual server that asked.
    package let server: ServerID
    package let instance: InstanceID
    /// A few words.
    package let outcome: String
    /// What the PIN or the biometric was asked for.
    package let context: SecondFactorContext?
    package let methods: Methods?
    /// Whether an operator wants to see it without asking for more.
    package let isNotable: Bool
}

/// The answer to one message, and what is written down of it.
struct CallReply {
    let answer: SecondFactorAnswer
    /// Nil for what changes nothing and is asked all the time.
    var record: CallRecord?
}
