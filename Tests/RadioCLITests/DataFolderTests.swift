import Foundation
import RadioCLI
import Testing

@Suite("A path that was typed")
struct DataFolderTests {
    @Test func `may begin with the user's folder`() throws {
        let home = try #require(ProcessInfo.processInfo.environment["HOME"])
        #expect(DataFolder.path(typed: "~/photo.png") == "\(home)/photo.png")
        #expect(DataFolder.path(typed: "~") == home)
    }

    @Test(arguments: ["/photo.png", "photo.png", "a/~/photo.png", "~bob/photo.png", "./~", ""])
    func `is another one as it is`(path: String) {
        #expect(DataFolder.path(typed: path) == path)
    }
}
