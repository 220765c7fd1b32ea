import BLETesting
import Testing

@Suite("An allowed order")
struct AllowedOrderTests {
    private enum Door { case closed, open }

    @Test func `takes what leads from one state to the next, for each subject apart`() {
        var order = AllowedOrder<String, Door>(from: .closed)
        #expect(order.take("front", from: [.closed], to: .open) == nil)
        #expect(order["front"] == .open && order["back"] == .closed)
        #expect(order.take("back", from: [.closed], to: .open) == nil)
        #expect(order.subjects(in: .open).sorted() == ["back", "front"])
        #expect(order.take("front", in: [.open]) == nil)
    }

    @Test func `says what is wrong, and stays as it was`() {
        var order = AllowedOrder<String, Door>(from: .closed)
        #expect(order.take("front", from: [.open], to: .closed) == "front is closed")
        #expect(order.take("front", in: [.open]) == "front is closed")
        #expect(order.subjects(in: .closed).isEmpty)
    }
}
