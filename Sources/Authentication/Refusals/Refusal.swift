import OstiaryProtocol

/// Why a phone's request was refused: precise for the log and the tests, a status on the wire (protocol §2).
package enum Refusal: Error, Equatable, Sendable {
    // The request itself.
    case clockOff, replayed
    /// It would end something by this server's clock, of which it is known that it is wrong.
    case clockContradicted
    case malformed(WireError)
    case messageNotServed, badSignature
    // Sessions and links.
    case sessionUnknown, sessionTaken, sessionOver
    /// Another device is logged in to it. That is told like a session that there is not.
    case sessionOfAnother
    case linkForeign, linkForged, linkOld, linkNotAllowed
    /// It says of itself that it was shown later than now.
    case linkEarly
    /// What is asked is another meanwhile: the phone looks again.
    case questionChanged
    case offerWrong, sessionHashWrong, methodNotAllowed, cacheNotValid, differentDecision
    /// It was counted.
    case numberWrong
    // Accounts.
    case accountUnknown, accountBlocked, accountPending
    case accountDeleted(AccountID, since: Instant)
    /// It has no second factor, and is asked what only an account with one may do.
    case headless
    // Enrolments.
    case enrolmentUnknown, enrolmentOld, enrolmentUsed, enrolHashWrong
    // Second factor.
    case instanceWrong, attemptMismatch, attemptOpen, attemptReplaced, secondFactorUnavailable, receiptWrong
    case secondFactorSignatureWrong, biometricSignatureWrong
    /// What came as the key of a new PIN is none.
    case secondFactorKeyWrong
    /// No proof of the second factor vouches for a new PIN, or not any more.
    case changeNotVouched
    /// The PIN is of an epoch whose share is not here: this database is older than the PIN.
    case shareGone
    /// Another attempt was given out under this number: a new one has to be begun.
    case numberUsed
    case secondFactor(Status)
    // Services behind the virtual server.
    /// The virtual server has no such service.
    case notOffered
    /// Only an app that is logged in itself has tokens.
    case notAppLogin
    case tooManyCalls(ServiceCallLimit)
    case service(ServiceTrouble)

    /// What the phone is told. Most mistakes share one word, so that a forger learns nothing from the difference.
    package var status: Status {
        switch self {
        case .clockOff, .clockContradicted: .clock
        case .replayed: .replayed
        case .malformed, .messageNotServed, .badSignature, .notAppLogin, .linkForeign, .linkForged, .linkNotAllowed, .offerWrong, .sessionHashWrong,
            .methodNotAllowed, .enrolmentUnknown, .enrolHashWrong, .instanceWrong, .attemptMismatch, .receiptWrong, .numberUsed,
            .secondFactorSignatureWrong, .biometricSignatureWrong, .secondFactorKeyWrong, .changeNotVouched:
            .refused
        case .sessionUnknown, .sessionOfAnother: .sessionUnknown
        case .sessionTaken: .sessionTaken
        case .sessionOver, .differentDecision: .sessionOver
        case .questionChanged: .changed
        case .linkOld, .linkEarly, .enrolmentOld: .linkOld
        case .numberWrong: .numberWrong
        case .cacheNotValid: .secondFactorNeeded
        case .accountUnknown: .accountUnknown
        case .accountBlocked: .accountBlocked
        case .accountPending: .accountPending
        case .accountDeleted: .accountDeleted
        case .headless: .headless
        case .enrolmentUsed: .enrolUsed
        case .attemptOpen, .attemptReplaced, .tooManyCalls(.underWay), .tooManyCalls(.underWayOfAccount), .tooManyCalls(.same): .busy
        case .tooManyCalls(.ofAccount): .tooMany
        case .notOffered: .notOffered
        case .service(.unavailable): .serviceUnavailable
        case .service(.refused): .serviceRefused
        case .service(.answer): .serviceAnswer
        case .secondFactorUnavailable: .secondFactorUnavailable
        // Never enrolled here, as far as this server remembers: only a new enrolment helps.
        case .shareGone: .secondFactorUnknown
        // The phone's time was right for this server, so it is the clocks of the two servers that disagree: nothing was counted.
        case .secondFactor(.clock): .secondFactorUnavailable
        // What the two servers say only to each other.
        case .secondFactor(.sequence), .secondFactor(.closed): .refused
        // What is not its to say is as good as no answer.
        case .secondFactor(let status): status.isOfSecondFactor ? status : .secondFactorUnavailable
        }
    }
}

/// What a phone is answered: a status and the message that goes with it, to be sealed and signed by the server.
package struct Reply: Equatable, Sendable {
    package let status: Status
    package let body: [UInt8]

    package init(_ status: Status = .ok, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    init(_ message: some WireStruct, status: Status = .ok) {
        self.init(status, body: message.encoded)
    }
}
