/// The people, in groups, and which of them is selected.
struct PeopleList: Sendable {
    enum Row: Hashable, Sendable {
        case heading(Person.Kind, count: Int)
        case person(Int)
    }

    private(set) var people: [Person] = []
    private(set) var rows: [Row] = []
    /// The first row that is seen.
    private(set) var top = 0

    private var selectedID: String?
    private var selectedRow: Int?

    /// Who is shown has this in the name; all are when it is empty.
    private(set) var filter = ""

    /// Who is selected.
    var selected: Person? {
        guard let selectedRow, case .person(let index) = rows[selectedRow] else { return nil }
        return people[index]
    }

    /// How many messages were not read, of all but one person.
    func unreadCount(without id: String?) -> Int {
        people.reduce(0) { sum, person in
            person.id == id ? sum : sum.addingReportingOverflow(max(0, person.unreadCount)).0
        }
    }

    func person(_ id: String) -> Person? { people.first { $0.id == id } }

    mutating func show(_ people: [Person]) {
        self.people = people
        arrange()
    }

    mutating func show(filter: String) {
        guard filter != self.filter else { return }
        self.filter = filter
        arrange()
    }

    /// Selects somebody, if shown.
    mutating func select(_ id: String) {
        selectedID = id
        select(near: selectedRow ?? 0)
    }

    /// Selects the first person of a kind, if there is one.
    mutating func selectFirst(_ kind: Person.Kind) {
        let row = rows.firstIndex { row in
            if case .person(let index) = row { people[index].kind == kind } else { false }
        }
        if let row { select(row: row) }
    }

    /// Selects who is some rows further down, or as far as there are people.
    mutating func moveSelection(by count: Int) {
        guard let selectedRow else { return }
        let target = min(max(0, selectedRow + count), rows.count - 1)
        let step = count < 0 ? -1 : 1
        // Over a heading, and back from one at the edge.
        for step in [step, -step] {
            var row = target
            while rows.indices.contains(row) {
                if case .person = rows[row] { return select(row: row) }
                row += step
            }
        }
    }

    /// Has another id for the same person.
    mutating func identify(_ old: String, as new: String) {
        if selectedID == old { selectedID = new }
        for index in people.indices where people[index].id == old { people[index].id = new }
    }

    /// Scrolls as far as it takes to see who is selected.
    mutating func scroll(height: Int) {
        top = min(max(0, top), max(0, rows.count - height))
        guard height > 0, let selectedRow else { return }
        // The first one is seen with the heading.
        let first = selectedRow == 1 ? 0 : selectedRow
        if first < top { top = first }
        if selectedRow >= top + height { top = selectedRow - height + 1 }
    }

    private mutating func arrange() {
        let row = selectedRow ?? 0
        let wanted = filter.lowercased()
        var groups: [Person.Kind: [Int]] = [:]
        for (index, person) in people.enumerated() {
            guard wanted.isEmpty || person.name.lowercased().contains(wanted) else { continue }
            groups[person.kind, default: []].append(index)
        }
        rows = []
        for kind in Person.Kind.allCases {
            guard let group = groups[kind] else { continue }
            rows.append(.heading(kind, count: group.count))
            rows += group.map { .person($0) }
        }
        select(near: row)
    }

    /// Finds the selected person again; else selects who is in about the same row.
    private mutating func select(near row: Int) {
        let found = rows.firstIndex { row in
            if case .person(let index) = row { people[index].id == selectedID } else { false }
        }
        if let found {
            selectedRow = found
        } else if rows.isEmpty {
            selectedRow = nil
        } else {
            selectedRow = min(row, rows.count - 1)
            moveSelection(by: 0)
        }
    }

    private mutating func select(row: Int) {
        selectedRow = row
        if case .person(let index) = rows[row] { selectedID = people[index].id }
    }
}
