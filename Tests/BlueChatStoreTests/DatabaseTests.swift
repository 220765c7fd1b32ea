import BLESQLite
import Testing

@Suite("A database")
struct DatabaseTests {
    private static func withDatabase(_ body: (Database) throws -> Void) throws {
        let database = try Database(path: ":memory:")
        try body(database)
        database.close()
    }

    @Test func `keeps values as they are`() throws {
        try Self.withDatabase { database in
            try database.run("CREATE TABLE t (v)")
            let values: [Value] = [
                nil, 0, .integer(.min), .text(""), .text("a\0é👋"), .bytes([]), .bytes([0, 255]),
            ]
            for value in values { try database.run("INSERT INTO t VALUES (?)", [value]) }
            #expect(database.lastInsertedNumber == 7)
            let nulls = try database.rows("SELECT v FROM t") { $0.isNull(at: 0) }
            #expect(nulls == [true, false, false, false, false, false, false])
            let types = try database.rows("SELECT typeof(v) FROM t") { $0.text(at: 0) }
            #expect(types == ["null", "integer", "integer", "text", "text", "blob", "blob"])
            let texts = try database.rows("SELECT v FROM t LIMIT 2 OFFSET 3") { $0.text(at: 0) }
            #expect(texts == ["", "a\0é👋"])
            let bytes = try database.rows("SELECT v FROM t LIMIT 2 OFFSET 5") { $0.bytes(at: 0) }
            #expect(bytes == [[], [0, 255]])
            #expect(try database.integer("SELECT v FROM t LIMIT 1 OFFSET 2") == .min)
            #expect(
                try database.row("SELECT v FROM t WHERE v = 9", []) { $0.integer(at: 0) } == nil
            )
        }
    }

    @Test func `says what was tried, and what came back`() throws {
        try Self.withDatabase { database in
            let error = #expect(throws: DatabaseError.self) { try database.run("SELECT missing") }
            #expect(error?.code == .failed)
            #expect(
                error.map { "\($0)" } == "SELECT missing failed: SQLite 1, no such column: missing"
            )
            try database.runScript("CREATE TABLE t (v UNIQUE); INSERT INTO t VALUES (1)")
            let refused = #expect(throws: DatabaseError.self) {
                try database.run("INSERT INTO t VALUES (1)")
            }
            #expect(refused?.code.primary == .constraint)
            database.close()
            #expect(throws: DatabaseError.self) { try database.run("SELECT 1") }
            #expect(throws: DatabaseError.self) { try database.runScript("SELECT 1") }
        }
        let error = #expect(throws: DatabaseError.self) { try Database(path: "/no/such/file") }
        #expect(error?.code.primary == .cannotOpen)
    }
}
