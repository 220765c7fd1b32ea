import Testing

@testable import BlueChatStore

@Suite("The user's profile", .timeLimit(.minutes(10)))
struct ProfileTests {
    private let profile = OwnProfile(name: "Alice 👩", identity: Array(0..<32))

    @Test func `is kept, and can be changed`() async throws {
        try await withStore { store in
            #expect(try await store.profile() == nil)
            try await store.setProfile(profile)
            #expect(try await store.profile() == profile)
            let other = OwnProfile(name: "", identity: [UInt8](repeating: 255, count: 32))
            try await store.setProfile(other)
            #expect(try await store.profile() == other)
        }
    }

    @Test func `shows no private key`() {
        var text = ""
        dump(profile, to: &text)
        #expect(!text.contains("31") && !"\(profile)".contains("31"))
    }

    @Test(arguments: [0, 31, 33])
    func `has a private key of 32 bytes`(count: Int) async throws {
        try await withStore { store in
            let profile = OwnProfile(name: "A", identity: [UInt8](repeating: 1, count: count))
            let code = try await refusal { try await store.setProfile(profile) }
            #expect(code == .invalid)
            #expect(try await store.profile() == nil)
        }
    }
}
