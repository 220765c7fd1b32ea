internal import BLE
internal import BLESession

// What happens to either end while it is connected, and when it ends.
extension Socket {
    func report(_ event: SocketEvent) {
        streams.send(event)
        observers.call { [weak self] observer in
            if let self { await event.tell(observer, of: self) }
        }
    }

    func handle(_ event: PacketConnection.Event) {
        switch event {
        case .advertised: report(.advertising)
        case .opened(let channel):
            self.channel = channel
            packetByteCount = nil
            switch channel.transport {
            case .raw: didOpen()
            case .stream: linkStream()
            }
        case .received(let bytes):
            if stream == nil { didReceive(bytes) } else { handleStream(.received(bytes)) }
        case .failedToReceive(let error):
            report(.failedToReceive(error))
        case .lost:
            channel = nil
            unlinkStream()
        case .closed(let error):
            didClose(error)
        }
    }

    func didOpen() {
        opened = transport.map { ($0, peerKey) }
        connection.assumeIsolated { $0.reconnects = $0.configuration.reconnects }
        opening?.fulfil()
        opening = nil
        report(.opened)
        pump()
    }

    private func didReceive(_ bytes: [UInt8]) {
        report(.received(bytes))
        guard pieces.isFull else { return pieces.add(bytes) }
        let error = SocketError(
            .full,
            "the socket was closed: what came is not read, and \(ReceivedPieces.maximumCount) "
                + "pieces wait"
        )
        report(.failedToReceive(error))
        pieces.finish(error)
        executor.task(of: self) { await $0.close() }
    }

    /// - Parameter error: why; `nil` when it was closed here.
    private func didClose(_ error: SocketError?) {
        channel = nil
        sending?.cancel()
        let error = stream?.end.map { $0 } ?? error
        lastEnd = error
        let unsent = SocketError(
            error == nil ? .notConnected : .lostConnection,
            "what waited was not sent: \(error?.message ?? "the socket was closed")"
        )
        complete(queue.close(unsent) + (stream?.close(unsent) ?? []))
        stream = nil
        pieces.finish(error)
        opening?.fail(
            error ?? SocketError(.notConnected, "the socket was closed while it was opened")
        )
        opening = nil
        for promise in closing { promise.fulfil() }
        closing = []
        arm()
        report(.closed(error))
        if connection.assumeIsolated({ $0.isIdle }) { runs.end(throwing: error) }
        letGo()
    }

    // MARK: - Sending

    /// Hands what waits to the radio, a packet after the other.
    func pump() {
        if stream == nil { complete(queue.takeEmpty()) } else { fillStream() }
        arm()
        guard sending == nil, let channel, isReachable else { return }
        let packet: [UInt8]?
        if let packetByteCount {
            packet = nextPacket(upTo: packetByteCount)
            if packet == nil { return }
        } else if stream == nil, queue.isEmpty {
            return
        } else {
            packet = nil
        }
        sending = executor.task(of: self) { await $0.transmit(packet, over: channel) }
    }

    /// Hands packets to the radio until none waits.
    private func transmit(_ packet: [UInt8]?, over channel: PacketChannel) async {
        var (packet, channel) = (packet, channel)
        var packetCount = 0
        repeat {
            if channel.canBeExclusive, stream?.session.isAlone == true {
                channel = await channel.exclusive()
                if self.channel?.number == channel.number { self.channel = channel }
            }
            if let packet {
                let result: Result<Void, any Error>
                do {
                    result = .success(try await channel.transmit(packet))
                } catch {
                    result = .failure(error)
                }
                didTransmit(result)
            }
            if packetByteCount == nil || stream == nil || packetCount % 64 == 0 {
                packetByteCount = await channel.packetByteCount
            }
            packetCount += 1
            let isConnected = self.channel?.number == channel.number && isReachable
            packet = isConnected ? packetByteCount.flatMap(nextPacket) : nil
        } while packet != nil
        sending = nil
        // It may be another one, or change, by the time of the next packet. Frames may be shorter than they could.
        if self.channel?.number != channel.number || stream == nil { packetByteCount = nil }
        pump()
        closeAfterStream()
    }

    /// Whether nothing says yet that the other end has left.
    private var isReachable: Bool { !connection.assumeIsolated { $0.isLeaving } }

    private func nextPacket(upTo byteCount: Int) -> [UInt8]? {
        stream == nil ? queue.nextChunk(upTo: byteCount) : nextFrame(upTo: byteCount)
    }

    private func didTransmit(_ result: Result<Void, any Error>) {
        // What becomes of a frame says the other end.
        guard stream == nil else { return }
        switch result {
        case .success: complete(queue.didSend())
        case .failure(let error): complete(queue.didFail(error))
        }
        arm()
    }

    /// Calls of ``send(_:)`` have their outcomes; over a stream, those that are sent wait for the other end.
    func complete(_ outcomes: [SendQueue.Outcome]) {
        for outcome in outcomes {
            guard let send = sends.removeValue(forKey: outcome.id) else { continue }
            if let error = outcome.error {
                send.done.fail(error)
                report(.failedToSend(error))
            } else {
                send.done.fulfil()
                if send.kind != .control { report(.sent(send.byteCount)) }
            }
        }
    }

    // MARK: - Receiving

    func nextPiece(of number: Int) async throws -> [UInt8]? {
        let piece: [UInt8]?
        switch pieces.next(of: number) {
        case .now(let result):
            piece = try result.get()
        case .later(let promise):
            do {
                piece = try await promise.wait()
            } catch let error as CancellationError {
                stopReading(number)
                throw error
            }
        }
        if let piece, stream != nil { handleStream(.consumed(piece.count)) }
        return piece
    }

    func stopReading(_ number: Int) {
        droppingPieces { $0.stopReading(number) }
    }

    /// Changes what waits for whoever reads; the other end may send as much more as is dropped.
    func droppingPieces<Result>(_ change: (inout ReceivedPieces) -> Result) -> Result {
        let before = pieces.byteCount
        let result = change(&pieces)
        let droppedCount = before - pieces.byteCount
        if droppedCount > 0, stream != nil { handleStream(.consumed(droppedCount)) }
        return result
    }
}
