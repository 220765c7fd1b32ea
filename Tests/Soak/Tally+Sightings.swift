import BLE

extension Tally {
    /// Counts strangers that pass by, until cancelled.
    func countSightings(of radio: CountedRadio, on clock: VirtualClock) async {
        while !Task.isCancelled {
            do {
                for try await event in try await radio.scan(ScanFilter()) {
                    if case .seen(let sighting) = event { count(sighting) }
                }
            } catch {
                // The radio is off, or gone; it is tried again.
            }
            do {
                try await clock.sleep(for: .seconds(1))
            } catch {
                return
            }
        }
    }

    /// The last three bytes of a stranger's address are its number.
    private func count(_ sighting: Sighting) {
        guard let address = sighting.address, address.kind == .random else { return }
        let digits = "\(address)".filter { $0 != ":" }.suffix(6)
        guard let number = Int(digits, radix: 16) else { return }
        change { counts in
            counts.sightings += 1
            if counts.addresses.indices.contains(number) { counts.addresses[number] = true }
        }
    }
}
