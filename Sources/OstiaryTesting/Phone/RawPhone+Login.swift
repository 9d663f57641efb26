import OstiaryProtocol

/// L1 to L6.
extension RawPhone {
    /// What a phone was shown of a session.
    package struct Shown: Sendable {
        package let ephemeral: EphemeralKey
        package let requestHash: [UInt8]
        package let answer: Encoded<L2>

        package init(ephemeral: EphemeralKey, requestHash: [UInt8], answer: Encoded<L2>) {
            self.ephemeral = ephemeral
            self.requestHash = requestHash
            self.answer = answer
        }

        package var content: L2 { answer.value }
        /// What goes back with M1 and L5.
        package var question: (session: SessionID, offer: Encoded<Offer>) { (content.sessionID, content.offer) }

        package func hash(for account: AccountID) -> [UInt8] {
            Transcript.session(requestHash: requestHash, shownHash: answer.shownHash, account: account)
        }
    }

    package func looking(at link: Encoded<LoginLink>, via: Via = .scan) -> L1 { L1(link: link, via: via, clientInfo: name) }

    /// Signed as a message of its own: see ``fresh(_:_:at:)``.
    package func openingApp(of account: AccountID) -> L1 { L1(appLoginOf: account, clientInfo: name) }

    /// What an L5 says; what it leaves out is as the phone was shown it.
    package struct Choice: Sendable {
        package var decision: Decision
        package var method: Methods
        package var attempt: AttemptID?
        package var secondFactorSignature: [UInt8]?
        package var biometricSignature: [UInt8]?
        package var ownAttempt: Encoded<Attempt>?
        package var cache: [UInt8]?
        /// What the person typed of the client's screen.
        package var number = ""
        package var userInput: String
        /// Notices that the person was shown.
        package var shown: [NoticeID]
        /// The key that an AppLogin names for tokens.
        package var tokenKey: TokenKey?
        package var sessionHash: [UInt8]?
        package var session: SessionID?
        package var account: AccountID?
        package var offer: Encoded<Offer>?

        package init(
            decision: Decision = .accept, method: Methods = [], attempt: AttemptID? = nil, secondFactorSignature: [UInt8]? = nil,
            biometricSignature: [UInt8]? = nil, ownAttempt: Encoded<Attempt>? = nil, cache: [UInt8]? = nil, userInput: String = "",
            shown: [NoticeID] = [], tokenKey: TokenKey? = nil, sessionHash: [UInt8]? = nil, session: SessionID? = nil, account: AccountID? = nil,
            offer: Encoded<Offer>? = nil
        ) {
            self.decision = decision
            self.method = method
            self.attempt = attempt
            self.secondFactorSignature = secondFactorSignature
            self.biometricSignature = biometricSignature
            self.ownAttempt = ownAttempt
            self.cache = cache
            self.userInput = userInput
            self.shown = shown
            self.tokenKey = tokenKey
            self.sessionHash = sessionHash
            self.session = session
            self.account = account
            self.offer = offer
        }
    }

    /// L5.
    package func deciding(_ shown: Shown, by account: AccountID, _ choice: Choice) throws -> Encoded<L5> {
        let account = choice.account ?? account
        return try sign(
            L5(
                sessionID: choice.session ?? shown.content.sessionID, sessionHash: choice.sessionHash ?? shown.hash(for: account),
                accountID: account, attemptID: choice.attempt ?? AttemptID(using: random), decision: choice.decision, method: choice.method,
                secondFactorSignature: choice.secondFactorSignature, biometricSignature: choice.biometricSignature, attempt: choice.ownAttempt,
                cache: choice.cache, number: choice.number, userInput: choice.userInput,
                extensions: Extensions(shownNotices: choice.shown, tokenKey: choice.tokenKey),
                offer: choice.offer ?? shown.content.offer))
    }

    /// L5 by a biometric alone.
    /// - Parameter change: of the Attempt, before anything is signed; the number of the L5 stays.
    package func acceptingByBiometric(
        _ shown: Shown, by account: AccountID, epoch: UInt32 = 1, at time: Instant, _ change: (inout OwnAttempt) -> Void = { _ in }
    ) throws -> Encoded<L5> {
        let hash = shown.hash(for: account)
        var own = ownAttempt(.verify, hash, shown.ephemeral, epoch: epoch, at: time)
        let id = own.id
        change(&own)
        return try deciding(
            shown, by: account,
            Choice(
                method: .bio, attempt: id, biometricSignature: try biometricSignature(id, .verify, hash, madeAt: own.madeAt),
                ownAttempt: try sign(own)))
    }
}
