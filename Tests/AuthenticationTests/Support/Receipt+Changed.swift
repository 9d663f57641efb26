import OstiaryProtocol

extension Receipt {
    /// The same receipt with some fields changed, to be signed anew.
    func changed(
        server: ServerID? = nil, instance: InstanceID? = nil, attempt: AttemptID? = nil, sessionHash: [UInt8]? = nil,
        context: SecondFactorContext? = nil, method: Methods? = nil, epoch: UInt32? = nil, sequence: UInt64? = nil, key: [UInt8]? = nil,
        signaturesHash: [UInt8]? = nil, lastPIN: Instant? = nil
    ) -> Receipt {
        Receipt(
            serverID: server ?? serverID, instanceID: instance ?? instanceID, attemptID: attempt ?? attemptID,
            sessionHash: sessionHash ?? self.sessionHash, context: context ?? self.context, method: method ?? self.method,
            epoch: epoch ?? self.epoch, sequence: sequence ?? self.sequence, secondFactorKey: key ?? secondFactorKey,
            signaturesHash: signaturesHash ?? self.signaturesHash, withoutPIN: withoutPIN, lastPIN: lastPIN ?? self.lastPIN, issuedAt: issuedAt)
    }
}

extension SecondFactorAnswer {
    /// The same answer with some fields changed, to be signed anew.
    func changed(
        attempt: AttemptID? = nil, status: Status? = nil, highest: UInt64? = nil, sealed: [UInt8]? = nil, receipt: Encoded<Receipt>? = nil
    ) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: attempt ?? attemptID, status: status ?? self.status, highest: highest ?? self.highest, epoch: epoch, tries: tries,
            sealed: sealed ?? self.sealed, receipt: receipt ?? self.receipt)
    }
}
