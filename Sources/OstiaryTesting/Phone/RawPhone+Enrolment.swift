import OstiaryProtocol

/// E1 to E4.
extension RawPhone {
    /// What a phone that scanned an enrolment link was shown.
    package struct Claimed: Sendable {
        package let ephemeral: EphemeralKey
        package let hash: [UInt8]
        package let shown: E2

        package init(ephemeral: EphemeralKey, hash: [UInt8], shown: E2) {
            self.ephemeral = ephemeral
            self.hash = hash
            self.shown = shown
        }

        /// - Parameter body: of the answer, an E2.
        package init(ephemeral: EphemeralKey, requestHash: [UInt8], body: [UInt8]) throws {
            let hash = Transcript.enrolment(requestHash: requestHash, shown: body)
            self.init(ephemeral: ephemeral, hash: hash, shown: try E2(decoding: body))
        }

        /// What the phone shows for the browser.
        package var code: String { ConfirmationCode(enrolHash: hash).description }

        /// A code that is not this one.
        package var wrongCode: String { code == "0000" ? "0001" : "0000" }
    }

    /// - Parameters:
    ///   - secret: another one than that of the link.
    ///   - device: what the phone calls itself; its name by default.
    package func claim(_ link: EnrolLink, secret: [UInt8]? = nil, device: String? = nil) -> E1 {
        E1(
            enrolID: link.enrolID, enrolSecret: secret ?? link.enrolSecret, deviceKey: publicKey, appInfo: "Example 1.0", osInfo: device ?? name)
    }

    /// devPk || enrolHash.
    package func payload(of claimed: Claimed) -> [UInt8] { publicKey + claimed.hash }

    /// The try that sets the first PIN.
    package func settingFirstPIN(
        _ claimed: Claimed, instance: InstanceID? = nil, id: AttemptID? = nil, blinded: [UInt8]? = nil
    ) throws -> Question {
        let payload = payload(of: claimed)
        let hash = Transcript.operation(.firstSet, instance: instance ?? self.instance, epoch: 1, payload: payload)
        return try question(.firstSet, sessionHash: hash, payload: payload, id: id, blinded: blinded, instance: instance)
    }

    /// E3 with a second factor.
    /// - Parameter evaluationKey: of a PIN that was set.
    package func accepting(
        _ claimed: Claimed, _ question: Question, evaluationKey: [UInt8]?, decision: Decision = .accept
    ) throws -> Encoded<E3> {
        try sign(
            E3(
                enrolHash: claimed.hash, decision: decision, instanceID: instance, attemptID: question.id, context: question.context, epoch: 1,
                secondFactorKey: question.context.setsPIN ? secondFactorPublicKey : nil,
                secondFactorSignature: try signature(of: question, evaluationKey: evaluationKey)))
    }

    package func declining(_ claimed: Claimed) throws -> Encoded<E3> {
        try sign(
            E3(
                enrolHash: claimed.hash, decision: .decline, instanceID: nil, attemptID: nil, context: .firstSet, epoch: 1, secondFactorKey: nil,
                secondFactorSignature: nil))
    }
}
