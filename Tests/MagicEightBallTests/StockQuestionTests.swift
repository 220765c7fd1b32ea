import Testing

@testable import MagicEightBall

@Suite struct StockQuestionTests {
    @Test("There are twenty, each with its own key and text")
    func twenty() {
        #expect(StockQuestion.allCases.count == 20)
        #expect(Set(StockQuestion.allCases.map(\.sentence)).count == 20)
        #expect(StockQuestion.allCases.first?.slug == "SLUG-QUESTION-00")
        #expect(StockQuestion.allCases.last?.slug == "SLUG-QUESTION-19")
    }

    @Test(
        "Each is accepted by a ball, and fits the smallest packet",
        arguments: StockQuestion.allCases
    )
    func isAccepted(stock: StockQuestion) throws {
        let question = Question(stock)
        #expect(question == (try Question(stock.sentence)))
        #expect(question.endsInQuestionMark)
        #expect(question.text.utf8.count <= 20)
    }
}
