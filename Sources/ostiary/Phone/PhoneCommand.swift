import ArgumentParser

/// `ostiary phone`: the mobile SDK in a terminal.
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        abstract: "A phone to enrol and log in with.",
        discussion: """
            Codes are given as a link, as a file with the bytes of a QR code, or as a picture of a screen (PNG or JPEG); - is standard input.

            Exit codes: 0 done, 1 other, 2 cancelled or denied, 3 second factor failed, 4 blocked or penalised, 5 code expired, used or
            taken by another phone, 6 server not reachable, 7 server identity, 64 usage.
            """,
        subcommands: [])

    @OptionGroup var options: PhoneOptions
}
