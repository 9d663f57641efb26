import Foundation
import OstiaryProtocol
import QRCode

/// What a person hands to the phone: a link, or a file that holds one.
enum LinkInput {
    /// Larger than any screenshot; what is larger is not read to its end.
    static let largestFile = ImageLimits.standard.bytes

    /// The bytes of the code that `argument` leads to.
    ///
    /// - Parameter argument: a link (`https://host/l#…`, or its base64url alone), the path of a file, or `-` for standard input.
    ///   A file is a PNG or JPEG of a screen with a code in it, the raw bytes of a code, or a link as text.
    /// - Throws: `LinkInputError`.
    static func resolve(_ argument: String) throws -> [UInt8] {
        if argument == "-" {
            guard let bytes = KeyInput.everything(limit: largestFile) else { throw LinkInputError.tooLarge }
            return try code(in: bytes, of: "standard input")
        }
        if let bytes = linkBytes(argument) { return bytes }
        return try code(in: contents(of: argument), of: argument)
    }

    /// The bytes of the code in the contents of a file.
    static func code(in bytes: [UInt8], of name: String) throws -> [UInt8] {
        guard !bytes.isEmpty else { throw LinkInputError.empty(name) }
        if isCode(bytes) { return bytes }
        if let text = String(validating: bytes, as: UTF8.self), let link = linkBytes(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
            return link
        }
        do {
            let found = try QRReader.read(bytes).compactMap { contents in isCode(contents) ? contents : nil }
            guard let first = found.first else { throw LinkInputError.foreignCode(name) }
            guard found.count == 1 else { throw LinkInputError.severalCodes(name) }
            return first
        } catch let error as QRReaderError {
            throw LinkInputError(error, name: name)
        }
    }

    private static func contents(of path: String) throws -> [UInt8] {
        let path = NSString(string: path).expandingTildeInPath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw LinkInputError.neitherLinkNorFile(path)
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw LinkInputError.unreadable(path) }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: largestFile + 1) else { throw LinkInputError.empty(path) }
        guard data.count <= largestFile else { throw LinkInputError.tooLarge }
        return Array(data)
    }

    private static func linkBytes(_ text: String) -> [UInt8]? {
        let fragment = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        guard let bytes = Base64URL.decode(fragment), isCode(bytes) else { return nil }
        return bytes
    }

    private static func isCode(_ bytes: [UInt8]) -> Bool {
        (try? Link(decoding: bytes)) != nil
    }
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
        case .severalCodes(let name): "there is more than one code in \(name): crop the picture to one"
        }
    }
}
