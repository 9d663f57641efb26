import Authentication
import HTTPService

/// Where the app of a virtual server is to be had, for people who have none yet.
struct AppPlaces: Equatable {
    /// What it is called; nil where nobody said.
    let name: String?
    /// The app's page in the store for phones of Apple, in that for Android, and wherever else.
    let ios: String?
    let android: String?
    let other: String?

    /// Nil where no place can be opened by a browser: the texts of a virtual server may be anything, `appurl` a scheme of the app's own.
    init?(_ parameters: ServerParameters) {
        name = parameters.appName.isEmpty ? nil : parameters.appName
        ios = Self.address(parameters.appIOS) ?? Self.appleStore(parameters.appIOS)
        android = Self.address(parameters.appAndroid) ?? Self.androidStore(parameters.appAndroid)
        other = Self.address(parameters.appURL)
        guard ios != nil || android != nil || other != nil else { return nil }
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("ios", ios)
            writer.member("android", android)
            writer.member("other", other)
        }
    }

    /// By the number that the store gives an app, with or without its `id`.
    private static func appleStore(_ text: String) -> String? {
        let number = text.hasPrefix("id") ? text.dropFirst(2) : text[...]
        guard (6...12).contains(number.utf8.count), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return "https://apps.apple.com/app/id\(number)"
    }

    /// By the name of the app's package: two words or more with dots between them, each of which begins with a letter. Looked at byte by byte: every page
    /// asks this every five seconds, and a regular expression is compiled each time, which was a third of what an open page costs.
    private static func androidStore(_ text: String) -> String? {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard words.count > 1, words.allSatisfy({ $0.first.map(isLetter) ?? false && $0.allSatisfy(isOfWord) }) else { return nil }
        return "https://play.google.com/store/apps/details?id=\(text)"
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    private static func isOfWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func address(_ text: String) -> String? {
        guard text.hasPrefix("https://") else { return nil }
        return ReturnURL(text)?.text
    }
}
