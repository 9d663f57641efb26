import HTTPService

// What the page sends, once it is opened. A question is the number of what is asked, as the page was shown it.

struct LinkBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case link }

    let link: String
}

struct QuestionBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case question }

    let question: Int
}

struct ConfirmBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case question, account, userInput, number }

    let question: Int
    let account: String?
    let userInput: String?
    let number: String?
}

struct DenyBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case question, notMe }

    let question: Int
    let notMe: Bool
}

/// One key of the pad. Digits come one by one, so that no PIN stands in any request.
struct KeyBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case question, key }

    let question: Int
    let key: String
}

struct FingerBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case question, answer, pin }

    let question: Int
    let answer: String
    /// Whether the PIN that was typed answers, too.
    let pin: Bool
}

struct SessionBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case session }

    let session: String
}

struct OTPBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case session, account }

    let session: String
    let account: String
}

struct AccountBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case account }

    let account: String
}

struct NoticeBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case notice }

    let notice: Int
}
