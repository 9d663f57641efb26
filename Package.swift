// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 language mode, no warning survives, existentials are spelled out.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// As an example's own manifest has them.
let example: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

/// Links a program with the Swift libraries in it, for `make release`. Objects are the same either way but for the names of libraries in them, so that all is
/// compiled once for both; what Foundation's archives need beside those names stands here, and a link without it fails. The toolchain's own linker packs the
/// places that a start has to move: 50 KiB of the file instead of 4 MiB, which stayed in memory; and nothing asks a program for its symbols, of which the list
/// was 5 MiB. Functions that run, of which `make release` makes a list, come first: a server has half of its code in memory then (docs/decisions/0064).
let staticSwift: [LinkerSetting] =
    Context.environment["OSTIARY_STATIC"] != "1"
    ? []
    : [
        .unsafeFlags(
            [
                "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
                "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
                "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/.build/function-order", "-Xlinker", "--no-warn-symbol-ordering",
            ], .when(platforms: [.linux]))
    ]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")

let package = Package(
    name: "ostiary",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "OstiaryMobile", targets: ["OstiaryMobile"]),
        // What an API puts in front of its routes; the second brings Hummingbird along.
        .library(name: "OstiaryResource", targets: ["OstiaryResource"]),
        .library(name: "OstiaryResourceHummingbird", targets: ["OstiaryResourceHummingbird"]),
        .executable(name: "ostiary", targets: ["ostiary"]),
        // What it becomes for `ostiary phone` and `ostiary demo`; they lie in one folder.
        .executable(name: "ostiary-phone", targets: ["OstiaryPhone"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(
            url: "https://github.com/apple/swift-configuration.git", from: "1.4.0",
            traits: ["JSON", "YAML", "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        // What swift-configuration reads YAML with, for files that an operator writes.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        // AP1 and every other byte that two parties must agree on. Pure: no I/O, no clock.
        .target(name: "OstiaryProtocol", dependencies: [crypto, "CSodium"], swiftSettings: house),
        // The mobile SDK: phone side of AP1, and a client of tokens, behind ports for keys, storage, transport, browser and biometrics.
        .target(name: "OstiaryMobile", dependencies: ["OstiaryTokens", "OstiaryProtocol", crypto], swiftSettings: house),
        // Domain of the authentication server: virtual servers, accounts, enrolments, sessions. No HTTP, no SQL.
        .target(name: "Authentication", dependencies: ["OstiaryProtocol", crypto], swiftSettings: house),
        // Domain of the second-factor server: instances, attempts, penalties, receipts. No HTTP, no SQL.
        .target(name: "SecondFactor", dependencies: ["OstiaryProtocol", crypto], swiftSettings: house),
        // Tokens and what is signed like them: JWS, JWK, PKCE, DPoP. Pure; for the provider, whoever verifies its tokens, and apps that have some.
        .target(name: "OstiaryTokens", dependencies: ["OstiaryProtocol", crypto, cryptoExtras], swiftSettings: house),
        // Domain of the OAuth and OpenID Connect provider: applications, APIs, grants, the endpoints' rules. No HTTP, no SQL.
        .target(name: "OAuthProvider", dependencies: ["Authentication", "OstiaryTokens", "OstiaryProtocol"], swiftSettings: house),
        // One SQL seam, and secrets at rest; SQLite through GRDB, PostgreSQL through libpq.
        .target(
            name: "Database",
            dependencies: [
                "OstiaryProtocol", .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"), "CLibPQ",
                "CSQLiteClose", crypto,
            ],
            swiftSettings: house),
        // What tests of several targets need: a phone, a clock, randomness, databases that misbehave. No product yet.
        .target(
            name: "OstiaryTesting", dependencies: ["OstiaryProtocol", "OstiaryMobile", "Database", logging, crypto], swiftSettings: house),
        // How tests of several targets are run, in the words of Swift Testing, which OstiaryTesting does not know. No product.
        .target(name: "OstiaryTestTraits", dependencies: ["OstiaryTesting"], swiftSettings: house),
        // QR codes out (PNG, terminal), for servers too.
        .target(name: "QRCode", dependencies: ["CQREncode", "CPNG"], swiftSettings: house),
        // QR codes in (a PNG or JPEG of a screen), for the phone alone: its libraries come with X11 and more, and no server's image has them.
        .target(name: "QRReading", dependencies: ["QRCode", "CZBar", "CPNG", "CJPEG"], swiftSettings: house),
        // What each server needs and none owns: configuration, limits, error rendering, health, key files.
        .target(
            name: "HTTPService",
            dependencies: [
                "OstiaryProtocol", hummingbird, httpTypes, logging, lifecycle, configuration, nioCore, nioPosix, crypto,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"), .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        // HTTP calls to servers that may be anybody.
        .target(
            name: "HTTPCalls", dependencies: [httpClient, nioCore, nioSSL, .product(name: "NIOHTTP1", package: "swift-nio")], swiftSettings: house),
        // What an API puts in front of its routes: a webNonce or a token in, a verified caller out. No web framework, no server of ours.
        .target(
            name: "OstiaryResource",
            dependencies: [
                "OstiaryTokens", "OstiaryProtocol", "HTTPCalls", httpClient, nioCore, nioSSL, .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: house),
        // The same as a middleware of Hummingbird.
        .target(
            name: "OstiaryResourceHummingbird", dependencies: ["OstiaryResource", hummingbird, httpTypes, logging, nioCore], swiftSettings: house),
        // The sources of examples, for the scripts that try them: compiled here beside what they stand on, where a package of its own builds all of it anew.
        // They see what a stranger sees.
        .executableTarget(
            name: "DoorwayExample", dependencies: ["OstiaryMobile"], path: "Examples/Doorway/Sources/Doorway", packageAccess: false,
            swiftSettings: example),
        .executableTarget(
            name: "ProtectedAPIExample", dependencies: ["OstiaryResource", "OstiaryResourceHummingbird", hummingbird],
            path: "Examples/ProtectedAPI/Sources/ProtectedAPI", packageAccess: false, swiftSettings: example),
        .executableTarget(
            name: "TimesheetsAPIExample",
            dependencies: ["OstiaryResource", "OstiaryResourceHummingbird", hummingbird, .product(name: "GRDB", package: "GRDB.swift")],
            path: "Examples/Timesheets/Sources/TimesheetsAPI", packageAccess: false, swiftSettings: example),
        .executableTarget(
            name: "TimesheetsMobileExample",
            dependencies: [
                "OstiaryMobile", httpClient, hummingbird, lifecycle, nioCore, .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Examples/Timesheets/Sources/TimesheetsMobile", packageAccess: false, swiftSettings: example),
        .executableTarget(
            name: "TimesheetsCronExample", dependencies: [httpClient, nioCore, .product(name: "NIOHTTP1", package: "swift-nio")],
            path: "Examples/Timesheets/Sources/TimesheetsCron", packageAccess: false, swiftSettings: example),
        .executableTarget(
            name: "TokenServiceExample",
            dependencies: [
                "OstiaryResource", "OstiaryResourceHummingbird", "OstiaryMobile", hummingbird, hummingbirdTLS, httpClient, nioCore, nioPosix, nioSSL,
                crypto,
            ],
            path: "Examples/TokenService/Sources/TokenService", packageAccess: false, swiftSettings: example),
        .executableTarget(
            name: "TokenBehindExample", dependencies: [hummingbird, httpClient, nioCore, .product(name: "NIOHTTP1", package: "swift-nio"), crypto],
            path: "Examples/TokenBehind/Sources/TokenBehind", packageAccess: false, swiftSettings: example),
        .executableTarget(
            name: "DataBehindExample", dependencies: [hummingbird, nioCore, crypto],
            path: "Examples/DataBehind/Sources/DataBehind", packageAccess: false, swiftSettings: example),
        // Authentication over HTTP and SQL.
        .target(
            name: "AuthServer",
            dependencies: [
                "Authentication", "OAuthProvider", "OstiaryTokens", "OstiaryProtocol", "Database", "HTTPService", "HTTPCalls", "QRCode", hummingbird,
                httpTypes, httpClient, logging, lifecycle, nioCore, nioPosix, .product(name: "NIOHTTP1", package: "swift-nio"), crypto,
                .product(name: "Mustache", package: "swift-mustache"), "CPageFiles",
            ],
            exclude: ["Pages/Assets", "Pages/Embedded"],
            swiftSettings: house),
        // SecondFactor over HTTP and SQL.
        .target(
            name: "SecondFactorServer",
            dependencies: [
                "SecondFactor", "OstiaryProtocol", "Database", "HTTPService", hummingbird, httpTypes, logging, lifecycle, nioCore, crypto,
            ],
            swiftSettings: house),
        // What both programs need of the process they are: its start, its command line, a terminal.
        .target(
            name: "OstiaryProgram",
            dependencies: [
                "HTTPService", "OstiaryProtocol", nioCore, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        // The program: serve, second-factor, admin. What is linked here is in the image of each server.
        .executableTarget(
            name: "ostiary",
            dependencies: [
                "OstiaryProgram", "AuthServer", "SecondFactorServer", "SecondFactor", "OstiaryTokens", "OstiaryProtocol", "HTTPService", "HTTPCalls",
                "Database", logging, .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "Yams", package: "Yams"),
                // For `ostiary admin`, which calls a server.
                httpClient, nioCore, nioPosix, .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: house, linkerSettings: staticSwift),
        // What it becomes for phone and demo.
        .executableTarget(
            name: "OstiaryPhone",
            dependencies: [
                "OstiaryProgram", "AuthServer", "OstiaryMobile", "OstiaryProtocol", "HTTPService", "HTTPCalls", "QRCode", "QRReading", "Database",
                crypto, hummingbird, httpTypes, logging, .product(name: "ArgumentParser", package: "swift-argument-parser"),
                // The phone's way to its servers, and the relays and pages of the demonstration.
                httpClient, nioCore, nioPosix, nioSSL, .product(name: "NIOHTTP1", package: "swift-nio"), "CPhoneFiles",
            ],
            exclude: ["DemoPage/Assets", "PhonePage/Assets", "Embedded"],
            swiftSettings: house),

        // The files of the pages, as bytes of the programs.
        .target(name: "CPageFiles", path: "Sources/AuthServer/Pages/Embedded"),
        .target(name: "CPhoneFiles", path: "Sources/OstiaryPhone/Embedded"),

        // System modules: C libraries installed by scripts/setup.
        .systemLibrary(name: "CSodium", path: "Sources/System/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        // Not linked but opened, by whoever has a database of PostgreSQL; so not one of them but C of our own over its header (libpq-dev).
        .target(name: "CLibPQ", path: "Sources/System/CLibPQ"),
        // One call of SQLite that Swift cannot make. SQLite itself is linked by GRDB.
        .target(name: "CSQLiteClose", path: "Sources/System/CSQLiteClose"),
        .systemLibrary(name: "CQREncode", path: "Sources/System/CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CZBar", path: "Sources/System/CZBar", pkgConfig: "zbar", providers: [.apt(["libzbar-dev"])]),
        .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CJPEG", path: "Sources/System/CJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),

        .testTarget(name: "OstiaryProtocolTests", dependencies: ["OstiaryProtocol", crypto], swiftSettings: house),
        .testTarget(
            name: "OstiaryMobileTests", dependencies: ["OstiaryMobile", "OstiaryTokens", "OstiaryProtocol", "OstiaryTesting", crypto],
            swiftSettings: house),
        // The calls of the documents, with no other module of ours to help them compile.
        .testTarget(name: "DocumentedCallsTests", dependencies: ["OstiaryMobile"], swiftSettings: house),
        // Against the real second-factor server, over its store in memory.
        .testTarget(
            name: "AuthenticationTests", dependencies: ["Authentication", "SecondFactor", "OstiaryProtocol", "OstiaryTesting", crypto],
            swiftSettings: house),
        .testTarget(name: "OstiaryTokensTests", dependencies: ["OstiaryTokens", "OstiaryProtocol", "OstiaryTesting", crypto], swiftSettings: house),
        .testTarget(
            name: "OAuthProviderTests",
            dependencies: ["OAuthProvider", "Authentication", "OstiaryTokens", "OstiaryProtocol", "OstiaryTesting", crypto], swiftSettings: house),
        .testTarget(
            name: "OstiaryResourceTests",
            dependencies: [
                "OstiaryResource", "OstiaryResourceHummingbird", "OstiaryTokens", "OstiaryProtocol", "OstiaryTesting", hummingbird,
                hummingbirdTesting, httpTypes, nioCore,
            ],
            swiftSettings: house),
        // Optimised: its explorations walk over millions of states, which unoptimised is a fifth of the whole run.
        .testTarget(
            name: "SecondFactorTests", dependencies: ["SecondFactor", "OstiaryProtocol", "OstiaryTesting", crypto],
            swiftSettings: house + [.unsafeFlags(["-O"])]),
        .testTarget(name: "OstiaryTestingTests", dependencies: ["OstiaryTesting", "OstiaryTestTraits"], swiftSettings: house),
        .testTarget(
            name: "DatabaseTests", dependencies: ["Database", "OstiaryTesting", .product(name: "GRDBSQLite", package: "GRDB.swift")],
            swiftSettings: house),
        // Optimised, because it draws and turns pictures pixel by pixel.
        .testTarget(
            name: "QRCodeTests", dependencies: ["QRCode", "QRReading", "OstiaryTesting", "CJPEG", "CPNG"],
            swiftSettings: house + [.unsafeFlags(["-O"])]),
        .testTarget(
            name: "HTTPServiceTests",
            dependencies: [
                "HTTPService", "OstiaryTesting", hummingbird, hummingbirdTesting, httpTypes, logging, nioCore, nioPosix, lifecycle, crypto,
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "HTTPCallsTests",
            dependencies: ["HTTPCalls", "OstiaryTesting", httpClient, nioCore, .product(name: "NIOHTTP1", package: "swift-nio")],
            swiftSettings: house),
        .testTarget(
            name: "AuthServerTests",
            dependencies: [
                "AuthServer", "SecondFactorServer", "SecondFactor", "Authentication", "OAuthProvider", "OstiaryTokens", "OstiaryProtocol",
                "OstiaryMobile", "Database", "HTTPService", "HTTPCalls", "QRCode", "QRReading", "OstiaryTesting", "OstiaryTestTraits", hummingbird,
                hummingbirdTesting, httpTypes, logging, nioCore, nioPosix, crypto, "CPageFiles",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SecondFactorServerTests",
            dependencies: [
                "SecondFactorServer", "SecondFactor", "OstiaryProtocol", "Database", "HTTPService", "OstiaryTesting", "OstiaryTestTraits",
                hummingbird, hummingbirdTesting, httpTypes, logging, nioCore, crypto,
            ],
            swiftSettings: house),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ostiary", "OstiaryPhone", "OstiaryProgram", "TokenBehindExample", "DataBehindExample", "TimesheetsCronExample", "AuthServer",
                "SecondFactorServer", "Authentication", "SecondFactor", "OstiaryMobile", "OstiaryTokens", "OstiaryProtocol", "Database",
                "HTTPService", "QRCode", "OstiaryTesting", "OstiaryTestTraits", hummingbird, hummingbirdTesting, httpTypes, logging, nioCore,
                nioPosix, crypto, httpClient, lifecycle, nioSSL, .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            // The latter is built by tests, which load it into servers.
            exclude: ["Fixtures", "Nodes/faked_clock.c"],
            // All tests are one program of half a gigabyte, which the toolchain's own linker writes in a quarter of the time.
            swiftSettings: house, linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]),
    ]
)

// The programs of `make bench`, which see the `package` declarations whose cost they measure. Targets of ours, so that they stand on what `make release` has
// built, and only where the Makefile asks for them, so that no other build has them.
if Context.environment["OSTIARY_BENCHMARKS"] == "1" {
    package.targets += [
        // Counts the instructions of a process through perf_event_open.
        .target(name: "CInstructions", path: "Benchmarks/Sources/CInstructions"),
        // Runs both servers and a hello beside them, drives them, and prints the table.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CInstructions", "OstiaryMobile", "OstiaryProtocol", "Database", crypto, httpClient, nioCore,
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Benchmarks/Sources/Bench", swiftSettings: house),
        // Our own bare hello through the same HTTP stack, and one point read through the same driver; or a constant through NIO alone.
        .executableTarget(
            name: "Hello", dependencies: ["Database", hummingbird, nioCore, nioPosix, .product(name: "NIOHTTP1", package: "swift-nio")],
            path: "Benchmarks/Sources/Hello", swiftSettings: house, linkerSettings: staticSwift),
        // The same hello behind OstiaryResource; it sees what a stranger sees.
        .executableTarget(
            name: "Guarded", dependencies: ["OstiaryResource", "OstiaryResourceHummingbird", hummingbird],
            path: "Benchmarks/Sources/Guarded", packageAccess: false, swiftSettings: example, linkerSettings: staticSwift),
    ]
}
