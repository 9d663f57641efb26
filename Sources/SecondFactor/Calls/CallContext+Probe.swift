import OstiaryProtocol

extension CallContext {
    /// Probe (protocol §7): says that its caller is trusted, and whether an attempt could be counted now. Nobody's rows are read, and
    /// nothing is written or counted.
    /// - Returns: nil for one that its caller did not sign; it gets no signature of ours.
    func answer(_ probe: Encoded<Probe>) async -> CallReply? {
        // At its own time: a certificate that is not valid yet by our clock is what clocks that differ look like.
        guard isSignedByCaller(probe, at: probe.value.time) else { return nil }
        guard probe.value.time.distance(to: now) <= Times.requestWindow else { return answer(probe, .clock) }
        guard await service.isWritable() else { return answer(probe, .secondFactorUnavailable) }
        return answer(probe, .ok)
    }

    private func answer(_ probe: Encoded<Probe>, _ status: Status) -> CallReply {
        CallReply(answer: SecondFactorAnswer(attemptID: probe.answerID, status: status, highest: 0, epoch: 0, tries: .none))
    }
}
