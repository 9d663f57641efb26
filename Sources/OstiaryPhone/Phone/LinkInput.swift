import Foundation
import OstiaryProgram
import OstiaryProtocol
import QRReading

/// What a person hands to the phone: a link, or a file that holds one. The address that a device shows (RFC 8628) is a link of a login; whether it is one for
/// this phone the SDK says.
enum LinkInput {
    /// Larger than any screenshot; what is larger is not read to its end.
    static let largestFile = ImageLimits.standard.bytes

    /// A code and how it came here, which the server is told: a link may have been forwarded, a scanned code was on a screen.
    enum Found: Equatable, Sendable {
        case scanned([UInt8])
        case link(String)

        /// The command that the code is for.
        var purpose: Purpose {
            switch code {
            case .enrol?, .upgrade?: .enrolment
            case .login?, nil: .login
            }
        }

        private var code: Link? {
            switch self {
            case .scanned(let bytes): (try? Link(decoding: bytes)) ?? String(validating: bytes, as: UTF8.self).flatMap { try? Link(text: $0) }
            case .link(let text): try? Link(text: text)
            }
        }
    }

    /// What a code is made for, and the command that takes it.
    enum Purpose: String, Sendable {
        case enrolment = "enrol"
        case login
    }

    /// The code that `argument` leads to, if it is one for this command: of two kinds of code, a person who gives one means only that.
    static func resolve(_ argument: String, for purpose: Purpose, isInputTaken: Bool = false) throws(LinkInputError) -> Found {
        let found = try resolve(argument, isInputTaken: isInputTaken)
        guard found.purpose == purpose else { throw .otherCommand(found.purpose) }
        return found
    }

    /// The code that `argument` leads to.
    ///
    /// - Parameters:
    ///   - argument: a link (`https://host/l#…`, its base64url alone, or `https://host/device?user_code=…`), the path of a file, or `-` for standard input.
    ///     A file is a PNG or JPEG of a screen with a code in it, the raw bytes of a code, or a link as text.
    ///   - isInputTaken: whether standard input is for something else.
    static func resolve(_ argument: String, isInputTaken: Bool = false) throws(LinkInputError) -> Found {
        if argument == "-" {
            guard !isInputTaken else { throw .inputTaken }
            guard let bytes = KeyInput.everything(limit: largestFile) else { throw .tooLarge }
            return try code(in: bytes, of: "standard input")
        }
        if isLink(argument) { return .link(argument) }
        return try code(in: contents(of: argument), of: argument)
    }

    /// The code in the contents of a file.
    static func code(in bytes: [UInt8], of name: String) throws(LinkInputError) -> Found {
        guard !bytes.isEmpty else { throw .empty(name) }
        if isCode(bytes) { return .scanned(bytes) }
        let text = String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .whitespacesAndNewlines)
        if let text, isLink(text) { return .link(text) }
        let symbols: [[UInt8]]
        do { symbols = try QRReader.read(bytes) } catch { throw LinkInputError(error, name: name) }
        return try code(among: symbols, of: name)
    }

    /// The one code of ours among the contents of QR symbols.
    static func code(among symbols: [[UInt8]], of name: String) throws(LinkInputError) -> Found {
        let codes = symbols.compactMap(scanned)
        guard let first = codes.first else { throw .foreignCode(name) }
        guard codes.count == 1 else { throw .severalCodes(name) }
        return first
    }

    /// What a QR symbol holds: the bytes of a code, or the text of a link.
    private static func scanned(_ symbol: [UInt8]) -> Found? {
        if isCode(symbol) { return .scanned(symbol) }
        guard let text = String(validating: symbol, as: UTF8.self), isLink(text) else { return nil }
        return .scanned(symbol)
    }

    private static func contents(of path: String) throws(LinkInputError) -> [UInt8] {
        let path = NSString(string: path).expandingTildeInPath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw .neitherLinkNorFile(path)
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadable(path) }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: largestFile + 1) else { throw .empty(path) }
        guard data.count <= largestFile else { throw .tooLarge }
        return Array(data)
    }

    private static func isLink(_ text: String) -> Bool { (try? Link(text: text)) != nil || VerificationLink(text) != nil }

    private static func isCode(_ bytes: [UInt8]) -> Bool { (try? Link(decoding: bytes)) != nil }
}

/// Why what was handed over leads to no code. All of them are for the person who typed the command.
enum LinkInputError: Error, Equatable, CustomStringConvertible {
    case neitherLinkNorFile(String)
    case unreadable(String)
    case empty(String)
    case tooLarge
    /// A picture without a readable code, or no picture at all.
    case noCode(String)
    /// A picture with codes that are not ours.
    case foreignCode(String)
    case severalCodes(String)
    /// A code of the other kind than the command takes.
    case otherCommand(LinkInput.Purpose)
    /// Both the code and the PINs would come from standard input.
    case inputTaken

    init(_ error: QRReaderError, name: String) {
        self =
            switch error {
            case .tooLarge, .outOfMemory: .tooLarge
            case .notAnImage, .damaged, .noCode: .noCode(name)
            }
    }

    var description: String {
        switch self {
        case .neitherLinkNorFile(let argument): "\(argument) is neither a login link nor a file"
        case .unreadable(let path): "cannot read \(path)"
        case .empty(let name): "\(name) is empty"
        case .tooLarge: "too large: give a picture of at most \(LinkInput.largestFile >> 20) MiB"
        case .noCode(let name): "no QR code found in \(name): take the picture again, with the whole code in it"
        case .foreignCode(let name): "the QR code in \(name) is not an enrol or login code"
        case .otherCommand(let purpose):
            "this is \(purpose == .enrolment ? "an" : "a") \(purpose.rawValue) code: give it to ostiary phone \(purpose.rawValue)"
        case .inputTaken: "standard input is for PINs: give the code as a link or a file"
        case .severalCodes(let name): "there is more than one code in \(name): crop the picture to one"
        }
    }
}
