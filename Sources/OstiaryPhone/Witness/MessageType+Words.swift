import OstiaryProtocol

/// Messages in the words of docs/protocol. A kind without a line here does not compile.
extension MessageType {
    var name: String {
        switch self {
        case .request: "Req"
        case .answer: "Ans"
        case .e1: "E1"
        case .e2: "E2"
        case .e3: "E3"
        case .e4: "E4"
        case .w1: "W1"
        case .l1: "L1"
        case .l2: "L2"
        case .l5: "L5"
        case .l6: "L6"
        case .l7: "L7"
        case .m1: "M1"
        case .m2: "M2"
        case .m3: "M3"
        case .m4: "M4"
        case .ticket: "Ticket"
        case .secondFactorAnswer: "SfAnswer"
        case .proof: "Proof"
        case .receipt: "Receipt"
        case .close: "Close"
        case .secondFactorEvaluation: "SfEval"
        case .reset: "Reset"
        case .probe: "Probe"
        case .leave: "Leave"
        case .ping: "Ping"
        case .stop: "Stop"
        case .delete: "Delete"
        case .pingAnswer: "PingAnswer"
        case .tombstone: "Tombstone"
        case .fetch: "Fetch"
        case .waiting: "Waiting"
        case .verification: "Verification"
        case .getToken: "GetToken"
        case .serviceToken: "ServiceToken"
        case .getData: "GetData"
        case .serviceData: "ServiceData"
        case .bundle: "Bundle"
        }
    }

    var section: ProtocolSection { ProtocolSection(page: page, anchor: name.lowercased()) }

    private var page: String {
        switch self {
        case .request, .answer: "exchange"
        case .e1, .e2, .e3, .e4, .w1: "enrolment"
        case .l1, .l2, .l5, .l6, .l7, .verification: "login"
        case .m1, .m2, .m3, .m4, .ticket, .secondFactorAnswer, .proof, .receipt, .close, .secondFactorEvaluation, .reset, .probe, .leave:
            "second-factor"
        case .ping, .stop, .delete, .pingAnswer, .tombstone, .fetch, .waiting, .getToken, .serviceToken: "presence"
        case .getData, .serviceData: "data-service"
        case .bundle: "identity"
        }
    }

    /// What it is for.
    var sentence: String {
        switch self {
        case .request: "A request of the phone, sealed to the server."
        case .answer: "The answer, signed by the server and sealed to the phone."
        case .e1: "The phone read an enrol code and brings its new device key."
        case .e2: "What the person is asked to agree to."
        case .e3: "The person's answer to the enrolment, signed by the new device key."
        case .e4: "The account is made; it waits for the four characters."
        case .w1: "The phone waits until the four characters are typed."
        case .l1: "The phone asks what a code is about. The server keeps nothing of it."
        case .l2: "Who asks, and what the person has to read before they agree."
        case .l5: "The person's decision, signed by the device key and by the key that the PIN opened."
        case .l6: "The outcome of the login."
        case .l7: "The phone says why it does not go on."
        case .m1: "A try of the PIN, blinded. The server relays it and cannot read it."
        case .m2: "What came of the try, and the server's share for the PIN box."
        case .m3: "A change of the second factor, proved."
        case .m4: "The change counts."
        case .ticket: "The authentication server numbers a try. The second-factor server counts it before it evaluates."
        case .secondFactorAnswer: "What was counted, with the evaluation inside that only the phone opens."
        case .proof: "What the opened box has signed: the PIN was right."
        case .receipt: "The second-factor server's word that the try was counted and proved."
        case .close: "The last account of a phone is gone: erase its key."
        case .secondFactorEvaluation: "The evaluation of the blinded PIN."
        case .reset: "An operator lifts a block."
        case .probe: "Do both servers still trust each other?"
        case .leave: "A device key is taken out."
        case .ping: "The phone is there, and waits for news of the session."
        case .stop: "The person ended the session on the phone."
        case .delete: "The person deleted the account on the phone."
        case .pingAnswer: "How the session stands."
        case .tombstone: "The server's signed word that an account is gone."
        case .fetch: "The phone asks whether a login waits for its account."
        case .waiting: "The logins that wait, each as a link."
        case .verification: "The phone brings the address that a device shows."
        case .getToken: "The app asks for a token of the service behind the server."
        case .serviceToken: "What the service behind the server answered, byte for byte."
        case .getData: "The device asks the Data Service behind the server. No person was asked for anything."
        case .serviceData: "What the Data Service answered, byte for byte."
        case .bundle: "What the server says of itself: names and keys, under its root."
        }
    }

    /// The message in the answer to a phone's request, if that is not a refusal; nil for what no phone sends.
    var answer: MessageType? {
        switch self {
        case .e1: .e2
        case .e3: .e4
        case .w1, .l5: .l6
        case .l1: .l2
        case .m1: .m2
        case .m3: .m4
        case .ping, .stop: .pingAnswer
        case .fetch, .verification: .waiting
        case .getToken: .serviceToken
        case .getData: .serviceData
        case .request, .answer, .e2, .e4, .l2, .l6, .l7, .m2, .m4, .ticket, .secondFactorAnswer, .proof, .receipt, .close, .secondFactorEvaluation,
            .reset, .probe, .leave, .delete, .pingAnswer, .tombstone, .waiting, .serviceToken, .serviceData, .bundle:
            nil
        }
    }
}

/// Names that the protocol writes in capitals.
enum ProtocolWord {
    /// `secondFactorUnavailable` as `SF_UNAVAILABLE`.
    static func of(_ status: Status) -> String {
        switch status {
        case .sequence: "SEQ"
        case .secondFactorUnavailable: "SF_UNAVAILABLE"
        case .secondFactorUnknown: "SF_UNKNOWN"
        default: capitals("\(status)")
        }
    }

    /// `pinChangeSet` as `PIN_CHANGE_SET`.
    static func of(_ context: SecondFactorContext) -> String { capitals("\(context)") }

    private static func capitals(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
    }
}
