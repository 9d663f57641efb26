import Foundation

/// The SDK's screens as a page (PhonePage), in the second frame.
struct PagedPhone: DemoPhone {
    let hasPage = true

    func run(in place: DemoPhonePlace, opened: @Sendable @escaping (String) async -> Void) async throws {
        let website = ScanSource(title: "Look at the website", look: place.shown)
        try await PhonePage.serve([(name: "phone", path: place.home.path)], framedBy: [place.framedBy], source: website) { page in
            await opened(page.address)
        }
    }
}
