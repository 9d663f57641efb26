/// The hashes that tie one step to the next. Each is one function, to be held beside the section it implements.
package enum Transcript {
    /// sessHash = H("sess", SHA(Req of L1) || l2Hash || accountId): what was shown, and to whom (protocol §4).
    package static func session(requestHash: [UInt8], shownHash: [UInt8], account: AccountID) -> [UInt8] {
        H(.sess, requestHash + shownHash + account.bytes)
    }

    package static let accountMarkCount = 16

    /// H("acct", accountId || sN)[0..16]: how an L2 names the account that may answer, to that account alone (protocol §6).
    package static func accountMark(_ account: AccountID, serverNonce: [UInt8]) -> [UInt8] {
        Array(H(.acct, account.bytes + serverNonce).prefix(accountMarkCount))
    }

    /// enrolHash = H("enrol", SHA(Req of E1) || SHA(E2 body)) (protocol §5).
    package static func enrolment(requestHash: [UInt8], shown body: [UInt8]) -> [UInt8] {
        H(.enrol, requestHash + SHA(body))
    }

    /// sessHash of the contexts without a session: H("sf-op", context || sfId || epoch || payload) (protocol §7).
    package static func operation(_ context: SecondFactorContext, instance: InstanceID, epoch: UInt32, payload: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.choice(context)
        instance.write(to: &writer)
        writer.u32(epoch)
        writer.raw(payload)
        return H(.secondFactorOperation, writer.bytes)
    }

    /// What the second-factor key signs to prove a PIN: sfId || attemptId || context || sessHash (protocol §2, exception 1).
    package static func secondFactorProof(
        instance: InstanceID, attempt: AttemptID, context: SecondFactorContext, sessionHash: [UInt8]
    ) -> [UInt8] {
        instance.bytes + attempt.bytes + [context.rawValue] + sessionHash
    }

    /// What a new second-factor key signs: the same || pkK || pkSf (protocol §2, exception 1).
    package static func secondFactorSet(
        instance: InstanceID, attempt: AttemptID, context: SecondFactorContext, sessionHash: [UInt8], evaluationKey: [UInt8],
        secondFactorKey: [UInt8]
    ) -> [UInt8] {
        secondFactorProof(instance: instance, attempt: attempt, context: context, sessionHash: sessionHash) + evaluationKey + secondFactorKey
    }

    /// What the biometric key signs: sfId || attemptId || context || sessHash || ts of the Attempt (protocol §2, exception 1).
    package static func biometric(
        instance: InstanceID, attempt: AttemptID, context: SecondFactorContext, sessionHash: [UInt8], madeAt: Instant
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(secondFactorProof(instance: instance, attempt: attempt, context: context, sessionHash: sessionHash))
        writer.instant(madeAt)
        return writer.bytes
    }

    /// nonceHash = H("nonce", text): what is stored of an X-nonce or a webNonce (protocol §3, §8).
    package static func nonce(_ text: String) -> [UInt8] { nonce(Array(text.utf8)) }

    /// The same of the characters of a text.
    package static func nonce(_ characters: [UInt8]) -> [UInt8] { H(noncePrefix, characters) }

    private static let noncePrefix = Label.nonce.prefix
}
