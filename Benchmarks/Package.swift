// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The parts that are measured are `package`, not `public`: this package borrows the name of the one it measures, which SwiftPM takes from
/// the folder that it lies in. Only a root package may.
let house = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().lastPathComponent
let borrowed: [SwiftSetting] = [
    .unsafeFlags(["-package-name", String(house.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })])
]

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "Bench", targets: ["Bench"]),
        .executable(name: "Hello", targets: ["Hello"]),
        .executable(name: "Guarded", targets: ["Guarded"]),
        .library(name: "EmulatorCounts", type: .dynamic, targets: ["CEmulatorCounts"]),
    ],
    dependencies: [
        .package(path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        // Counts the instructions of a process through perf_event_open.
        .target(name: "CInstructions"),
        // A plugin for qemu-user: counts the instructions of a process where the kernel cannot.
        .target(name: "CEmulatorCounts"),
        // Runs both servers and a hello beside them, drives them, and prints the table.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CInstructions",
                .product(name: "OstiaryParts", package: house),
                .product(name: "OstiaryMobile", package: house),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            packageAccess: false, swiftSettings: borrowed),
        // Our own bare hello through the same HTTP stack, and one point read through the same driver; or a constant through NIO alone.
        .executableTarget(
            name: "Hello",
            dependencies: [
                .product(name: "OstiaryParts", package: house),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            packageAccess: false, swiftSettings: borrowed),
        // The same hello behind OstiaryResource; it sees what anybody sees.
        .executableTarget(
            name: "Guarded",
            dependencies: [
                .product(name: "OstiaryResource", package: house),
                .product(name: "OstiaryResourceHummingbird", package: house),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            packageAccess: false),
    ]
)
