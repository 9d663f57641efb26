// swift-tools-version: 6.2
import PackageDescription

/// Timesheets of a company: an API, the app of its people, and a machine that uploads; written as a stranger would write them, against public interfaces and
/// nothing else.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nio = [Target.Dependency.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio")]
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")

let package = Package(
    name: "Timesheets",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ostiary", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "TimesheetsAPI",
            dependencies: [
                .product(name: "OstiaryResource", package: "ostiary"), .product(name: "OstiaryResourceHummingbird", package: "ostiary"), hummingbird,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "TimesheetsMobile",
            dependencies: [
                .product(name: "OstiaryMobile", package: "ostiary"), httpClient, hummingbird,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ] + nio,
            swiftSettings: settings),
        .executableTarget(name: "TimesheetsCron", dependencies: [httpClient] + nio, swiftSettings: settings),
    ]
)
