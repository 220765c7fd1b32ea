import BLETerminal
@testable import BlueChatScreen
import TestThreads
import Testing

@Suite("Anything", .ownThread)
struct RandomTests {
    private static let hostile =
        Seed.characters + [
            "\u{1B}[2J", "\u{1B}]8;;x\u{1B}\\", "\u{0}", "\u{202E}", "\u{2066}", "\u{200B}", "\n",
            "\t",
            "\u{9B}", "\r", "https://a.b/", " ", String(repeating: "\u{301}", count: 100), "/",
            "word ",
        ]

    private func person(_ id: Int, _ seed: inout Seed) -> Person {
        Person(
            id: "\(id)",
            name: seed.text(0...12, of: Self.hostile),
            kind: Person.Kind.allCases.randomElement(using: &seed) ?? .friend,
            isNear: .random(using: &seed),
            signalStrength: Bool.random(using: &seed) ? nil : .random(in: -127...20, using: &seed),
            isChatting: .random(using: &seed),
            isVerified: .random(using: &seed),
            isOriginal: .random(using: &seed),
            hasChangedKey: Int.random(in: 0..<4, using: &seed) == 0,
            unreadCount: [0, 0, 3, 70_000].randomElement(using: &seed) ?? 0,
            lastText: Bool.random(using: &seed) ? nil : seed.text(0...30, of: Self.hostile),
            isTyping: .random(using: &seed)
        )
    }

    private func message(_ id: Int, _ seed: inout Seed) -> Message {
        let states: [Message.State] = [
            .waiting, .sending, .sent, .delivered, .read,
            .failed(reason: seed.text(0...9, of: Self.hostile)),
        ]
        return Message(
            id: "\(id)",
            isOwn: .random(using: &seed),
            text: seed.text(0...60, of: Self.hostile),
            file: Int.random(in: 0..<8, using: &seed) == 0
                ? Message.File(name: seed.text(0...20, of: Self.hostile), byteCount: .max) : nil,
            time: seed.text(0...3, of: Self.hostile),
            day: ["", "today", "漢\u{1B}"].randomElement(using: &seed) ?? "",
            state: states.randomElement(using: &seed),
            isEdited: .random(using: &seed),
            isDeleted: Int.random(in: 0..<8, using: &seed) == 0
        )
    }

    private func input(_ seed: inout Seed) -> Input {
        let codes: [Key.Code] = [
            .enter, .enter, .tab, .backspace, .delete, .insert, .escape, .up, .down, .left, .right,
            .home, .end, .pageUp, .pageDown, .function(1), .function(2), .character("y"),
        ]
        let commands = [
            "/add", "/who", "/remove", "/edit", "/edit x", "/delete", "/help", "/friends", "//x",
            "/leave", "/block 1", "/file x", "/resend", "/verify", "/what",
        ]
        switch Int.random(in: 0..<10, using: &seed) {
        case 0..<4:
            let held = Key.Modifiers(rawValue: .random(in: 0...7, using: &seed))
            let isPlain = Bool.random(using: &seed)
            return .key(Key(codes.randomElement(using: &seed) ?? .enter, isPlain ? [] : held))
        case 4..<7:
            let scalar = seed.text(1...1, of: Self.hostile).unicodeScalars.first ?? "a"
            return .key(Key(Character(scalar)))
        case 7:
            let letter = Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &seed)))
            return .key(Key(letter, Bool.random(using: &seed) ? .control : .alt))
        case 8: return .paste(Paste(commands.randomElement(using: &seed) ?? ""))
        default:
            return .paste(Paste(seed.text(0...80, of: Self.hostile), isCut: .random(using: &seed)))
        }
    }

    private func show(on chatScreen: inout ChatScreen, _ seed: inout Seed) {
        let text = seed.text(0...40, of: Self.hostile)
        switch Int.random(in: 0..<9, using: &seed) {
        case 0, 1:
            let ids = Array(0..<8).shuffled(using: &seed).prefix(
                Int.random(in: 0...8, using: &seed)
            )
            chatScreen.show(people: ids.map { person($0, &seed) })
        case 2, 3, 4:
            let first = Int.random(in: 0..<30, using: &seed)
            let count = Int.random(in: 0...40, using: &seed)
            chatScreen.show(
                messages: (first..<first + count).map { message($0, &seed) },
                hasEarlier: .random(using: &seed),
                of: chatScreen.openPerson ?? ""
            )
        case 5: chatScreen.show(notice: text)
        case 6: chatScreen.show(warning: text)
        case 7:
            chatScreen.show(radioState: Bool.random(using: &seed) ? nil : text)
            chatScreen.show(ownName: text, key: text)
        default:
            let lines = (0..<Int.random(in: 0...30, using: &seed)).map { _ in
                seed.text(0...30, of: Self.hostile)
            }
            let page = Page(text, lines: lines, isQRCode: .random(using: &seed))
            chatScreen.show(page: Bool.random(using: &seed) ? page : nil)
            chatScreen.identify("1", as: "\(Int.random(in: 0..<9, using: &seed))")
        }
    }

    @Test(arguments: 0..<40)
    func `can be shown, pressed and drawn`(seed: Int) {
        var seed = Seed(seed)
        var chatScreen = ChatScreen()
        for step in 0..<80 {
            if Int.random(in: 0..<4, using: &seed) == 0 { show(on: &chatScreen, &seed) }
            for action in chatScreen.handle(input(&seed)) { check(action) }
            let isLarge = Int.random(in: 0..<20, using: &seed) == 0
            let size = Size(
                columns: Int.random(in: 0...(isLarge ? 300 : 90), using: &seed),
                rows: Int.random(in: 0...(isLarge ? 100 : 30), using: &seed)
            )
            var screen = Screen(size)
            for action in chatScreen.draw(on: &screen) { check(action) }
            #expect(screen.size == size)
            let faults = screen.faults
            #expect(faults == [], "step \(step), \(size)")
            if let cursor = screen.cursor, !faults.isEmpty || size.columns > 2 {
                #expect((0..<size.rows).contains(cursor.row) || size.rows == 0, "step \(step)")
                #expect((0..<size.columns).contains(cursor.column), "step \(step)")
            }
            guard faults.isEmpty else { return }
        }
    }

    /// What may never be asked for.
    private func check(_ action: Action) {
        switch action {
        case .send(let text, _): #expect(!text.isEmpty && text.utf8.count <= 65_536)
        case .edit(_, let text, _): #expect(!text.isEmpty)
        case .search(let text): #expect(!text.isEmpty)
        case .rename(_, let name): #expect(!name.isEmpty && !name.contains("\n"))
        default: break
        }
    }

    @Test(arguments: 0..<10)
    func `is the same for the same inputs`(seed: Int) {
        func run() -> ([Action], [String]) {
            var seed = Seed(seed)
            var chatScreen = ChatScreen()
            var actions: [Action] = []
            for _ in 0..<60 {
                show(on: &chatScreen, &seed)
                actions += chatScreen.handle(input(&seed)) + chatScreen.actions()
            }
            return (actions, chatScreen.rows(80, 24))
        }
        #expect(run() == run())
    }

    /// Scrolls at random, and holds what is seen against all rows of the chat.
    @Test(arguments: 0..<60)
    func `what is seen is a part of the whole`(seed: Int) {
        var seed = Seed(seed)
        let messages = (0..<Int.random(in: 1...30, using: &seed)).map { message($0, &seed) }
        let width = Int.random(in: 8...50, using: &seed)
        let editor = LineEditor(size: Size(columns: 9, rows: 1))
        var all = OpenChat(Sample.bob, editor: editor)
        all.show(messages, hasEarlier: false)
        all.resize(Size(columns: width, rows: 100_000))
        let rows = all.visibleRows()
        var chat = OpenChat(Sample.bob, editor: editor)
        chat.show(messages, hasEarlier: false)
        let height = Int.random(in: 1...20, using: &seed)
        chat.resize(Size(columns: width, rows: height))
        /// The last row that is seen when the first one is.
        func first(_ height: Int) -> Int {
            rows.count <= height ? rows.count : max(1, height - 1)
        }
        var bottom = rows.count
        for _ in 0..<100 {
            let count = Int.random(in: -25...25, using: &seed)
            switch Int.random(in: 0..<12, using: &seed) {
            case 0:
                chat.scrollToEnd()
                bottom = rows.count
            case 1:
                chat.scrollToStart()
                bottom = first(height)
            default:
                chat.scroll(by: count)
                bottom = min(rows.count, max(first(height), bottom + count))
            }
            // One row says that there are more.
            let shown = bottom == rows.count || height == 1 ? height : height - 1
            #expect(chat.visibleRows() == Array(rows[max(0, bottom - shown)..<bottom]))
            #expect((chat.end == .newest) == (bottom == rows.count))
            #expect(chat.isAtStart == (bottom <= shown))
        }
    }
}
