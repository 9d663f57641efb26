/// Where the PINs of people are written down that they set and enter: in a new book when so many changes of the old one are open that the search for an order would
/// take long, or give up. It begins with a change that is known to be done: whatever was on its way then is of an epoch that is over, and cannot come about any more.
struct PINBooks {
    private static let mostUnknown = 20

    private var books: [String: TryBook] = [:]

    /// The key of the book in which what just happened stands.
    /// - Parameters:
    ///   - name: whose it is.
    ///   - change: that of a PIN; nil where one was entered.
    mutating func key(of name: String, after change: FixturePhone.Change? = nil) -> String {
        var book = books[name, default: TryBook()]
        if change == .done, book.unknown > Self.mostUnknown { book = TryBook(number: book.number + 1) }
        if change == .unknown { book.unknown += 1 }
        books[name] = book
        return book.number == 0 ? name : "\(name), \(book.number)"
    }
}
