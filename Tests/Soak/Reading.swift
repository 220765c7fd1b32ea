/// What is in use at a moment when nobody asks.
struct Reading {
    let moment: String
    /// Since the beginning, by the clock of the soak.
    let time: Duration
    /// Memory in the machine.
    let residentKilobytes: Int
    /// Memory that was asked for and not given back.
    let heapKilobytes: Int
    let descriptors: Int
    let threads: Int
    /// Of all clients of the bus.
    let matchRules: Int
    /// Memory of the bus's daemon.
    let busKilobytes: Int
    /// Objects that bluetoothd shows.
    let objects: Int
    let adapters: Int
    let daemons: Int
    let publications: Int
    let links: Int
    /// Tasks that wait for a time.
    let timers: Int
    /// How often the clock has gone on.
    let jumps: Int
    /// Made until then.
    let questions: Int
    let sightings: Int

    static let columns = [
        "moment", "hours", "questions", "sightings", "RSS KB", "heap KB", "bus KB", "fds",
        "threads",
        "rules", "objects", "adapters", "bluetoothds", "publications", "links", "timers", "jumps",
    ]

    var cells: [String] {
        let tenths = Int((time / .seconds(360)).rounded())
        return [moment, "\(tenths / 10).\(tenths % 10)"]
            + [
                questions, sightings, residentKilobytes, heapKilobytes, busKilobytes, descriptors,
                threads, matchRules, objects, adapters, daemons, publications, links, timers, jumps,
            ].map(String.init)
    }
}

/// Lines of cells, those of a column of one width.
func table(_ rows: [[String]]) -> String {
    let widths = (rows.first ?? []).indices.map { column in
        rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
        let cells = zip(row, widths).map { cell, width in
            String(repeating: " ", count: width - cell.count) + cell
        }
        return "| " + cells.joined(separator: " | ") + " |"
    }
    .joined(separator: "\n")
}
