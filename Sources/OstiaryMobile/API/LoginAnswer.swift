/// What the person gives with a yes to a login.
struct LoginAnswer: Sendable, Equatable {
    /// For the website's backend.
    var userInput = ""
    /// As whoever began the login shows it; empty where none is asked.
    var number = ""
}
