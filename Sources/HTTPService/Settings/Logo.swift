import Foundation

/// The picture on the phone's confirm screen.
package struct Logo: Sendable, Equatable {
    package enum Format: String, Sendable {
        case png = "image/png"
        case svg = "image/svg+xml"
    }

    package let format: Format
    package let bytes: [UInt8]

    /// The most that a logo may weigh: 64 KiB.
    package static let limit = 65536

    /// Reads a PNG or SVG file and looks at what it is, not at its name.
    /// - Throws: ``LogoError``.
    package init(file path: String) throws(LogoError) {
        let file = FileHandle(forReadingAtPath: path)
        defer { try? file?.close() }
        guard let data = try? file?.read(upToCount: Self.limit + 1), !data.isEmpty else {
            throw .unreadable(path: path, reason: whyUnreadable(path) ?? "it is empty")
        }
        guard data.count <= Self.limit else { throw .tooLarge }
        bytes = Array(data)
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            format = .png
        } else if String(data: data, encoding: .utf8)?.contains("<svg") == true {
            format = .svg
        } else {
            throw .otherFormat
        }
    }
}

/// Why a file is no logo.
package enum LogoError: Error, Equatable, Sendable {
    case unreadable(path: String, reason: String)
    case tooLarge, otherFormat
    /// It could hold up whoever draws it.
    case notPlain
}

extension LogoError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
        case .tooLarge: "the logo is larger than 64 KiB"
        case .otherFormat: "the logo is neither PNG nor SVG"
        case .notPlain: "the logo is no PNG of at most 2048 pixels a side and no plain SVG: only shapes, texts and gradients are drawn"
        }
    }
}
