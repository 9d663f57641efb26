import OstiaryProtocol

@main
struct Bench {
    static func main() async throws { print(SHA([1]).count) }
}
