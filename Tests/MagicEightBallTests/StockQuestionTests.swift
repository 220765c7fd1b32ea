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

@Suite struct DurationTests {
    @Test(
        "A duration is told in the largest unit that it fills",
        arguments: [
            (Duration.seconds(10), "10 s"), (.milliseconds(250), "250 ms"),
            (.milliseconds(1500), "1.5 s"), (.milliseconds(2050), "2.05 s"), (.zero, "0 s"),
            (.milliseconds(65_001), "65.001 s"), (.microseconds(10), "0 s"),
        ]
    )
    func units(duration: Duration, text: String) {
        #expect(duration.inUnits == text)
    }
}
