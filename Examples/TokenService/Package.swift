// swift-tools-version: 6.2
import PackageDescription

/// A token service, a backend that takes its tokens, and an app that pins the keys of both: written as a stranger would write them, against the public
/// interface of OstiaryResource and OstiaryMobile and nothing else.
let package = Package(
    name: "TokenService",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ostiary", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: [
        .executableTarget(
            name: "TokenService",
            dependencies: [
                // The two servers.
                .product(name: "OstiaryResource", package: "ostiary"), .product(name: "OstiaryResourceHummingbird", package: "ostiary"),
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HummingbirdTLS", package: "hummingbird"),
                // The app.
                .product(name: "OstiaryMobile", package: "ostiary"), .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                // Certificates of the servers and pins of the app; signatures of tokens and hashes.
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")])
    ]
)
