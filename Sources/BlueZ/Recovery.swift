internal import BLE
internal import BLEDBus

/// How long the adapter waits for bluetoothd to settle, how often it tries again, by which clock.
///
/// All limits of the adapter's own stand here. They bound what it does to mend a failure; how long a
/// caller waits in all is the caller's, whose cancellation ends each of these waits at once.
struct Recovery: Sendable {
    /// Measures all of them; an adapter measures real time on its connection's thread.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Where the random part of each pause comes from; the same seed gives the same pauses.
    var seed = UInt64.random(in: .min ... .max)

    /// How long to find out whether an error is a refusal, or that the service goes.
    ///
    /// bluetoothd removes the objects tens of milliseconds after the error.
    var serviceCheckLimit: Duration = .seconds(1)

    /// How long bluetoothd has to remove the services of a peer whose program may have ended, before the peer is asked for those
    /// that are used.
    ///
    /// It removes them tens of milliseconds after it was told.
    var removalLimit: Duration = .seconds(2)

    /// How long after a link has ended the adapter may turn out to have no power.
    ///
    /// bluetoothd tells of the power once all links have ended.
    var powerLimit: Duration = .milliseconds(500)

    // MARK: - Discovery

    /// The pauses between attempts to start a discovery while one is in progress.
    ///
    /// The kernel goes on with one of a bluetoothd that was killed, for 10 s.
    var startPauses: [Duration] = [
        .milliseconds(500), .seconds(1), .seconds(2), .milliseconds(2500), .milliseconds(2500),
    ]

    /// How long bluetoothd may discover without having replied that this client's discovery has begun.
    ///
    /// It replies within tens of milliseconds, but to one alone of several clients that call at the same
    /// moment.
    var startReplyLimit: Duration = .milliseconds(750)

    /// How long bluetoothd has to reply to the call that starts a discovery, when it does not discover meanwhile.
    var startLimit = Connection.defaultTimeLimit

    /// How long a connection waits for bluetoothd to reply that a discovery has ended.
    ///
    /// A controller that is asked to connect before its scan has ended may do neither.
    var stopReplyLimit: Duration = .seconds(5)

    /// How long a discovery may report nothing before it is started anew; twice as long each time.
    var discoveryRestartDelay: Duration = .seconds(3)

    /// How often in a row it is started anew.
    var restartCount = 3

    /// How long a device is received that may have begun a service since it was connected to, before a scan for that has it
    /// forgotten.
    ///
    /// A scan has mostly found somebody by then; and a device that has begun to advertise as it is about to call has called.
    var forgettingDelay: Duration = .seconds(2)

    /// How long a device is not received until that counts anew; it may have stopped advertising, and begin again as it is about to call.
    ///
    /// A controller that reports each device once while it scans reports it again after 10.24 s, when the kernel has it scan anew.
    var forgettingSilence: Duration = .seconds(15)

    /// How long the same scan waits until the same device is forgotten again.
    var forgettingPause: Duration = .seconds(600)

    // MARK: - Requests

    /// How long bluetoothd has to reply to a request; a peer that does not respond it gives up after 30 s.
    var requestLimit = Connection.defaultTimeLimit

    /// The pauses before a request is sent again while another program's to the same characteristic is
    /// under way.
    var requestPauses = Backoff(first: .milliseconds(10), longest: .milliseconds(250))

    /// When such a request is not sent again: a peer's system refuses for its program after 5 s.
    var requestRetryLimit: Duration = .seconds(8)

    /// When a request that the responder has not answered is refused for it.
    ///
    /// bluetoothd refuses in its place after 5 s, and dies when the link is lost while a write waits.
    var responderLimit: Duration = .seconds(4)

    // MARK: - Sharing

    /// How long the first subscription over a link that was there waits for another program's, which
    /// may be making that link.
    var otherSubscriptionLimit: Duration = .milliseconds(500)

    /// How long the services of a link that was there are waited for, before it counts as one all the same.
    var sharedResolutionLimit: Duration = .seconds(5)

    /// How long an adapter that advertises waits before it ends a link, over which the peer may be asking it for something.
    var servingPause: Duration = .seconds(2)

    /// How long an adapter that is closed waits for the ends of its connections; bluetoothd takes two seconds.
    var closingLimit: Duration = .seconds(5)

    /// How long to wait until bluetoothd has taken subscriptions back, before a link is ended.
    var unsubscriptionLimit: Duration = .seconds(2)

    // MARK: - Serving

    /// How long bluetoothd has to reply to the call behind values that it is to take, before it is called again.
    var takingLimit = Connection.defaultTimeLimit

    /// How long to wait before that call is sent again, when too much waits to be sent.
    var askingPause: Duration = .seconds(1)

    /// How long a central has to confirm an indication; bluetoothd ends the connection then, and says to its
    /// application what it also says of a confirmed one.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.3.3.
    var confirmationLimit: Duration = .seconds(30)

    /// How long a central has to confirm an indication of a publication that is being withdrawn, before its connection is ended.
    var withdrawalLimit: Duration = .seconds(2)

    // MARK: - Connecting

    /// How often one connection is tried.
    var connectCount = 4

    /// The pauses in between.
    var connectPauses = Backoff(first: .milliseconds(250), longest: .seconds(2))

    /// When a connection is not tried again: bluetoothd gives up a peer that is not there after 40 s,
    /// with the error of one whose link broke at once.
    var connectRetryLimit: Duration = .seconds(20)

    /// How long after a connection to a peer has ended it is called again: sooner, bluetoothd fails in two to four of ten times.
    var linkPause: Duration = .milliseconds(500)

    /// How long an adapter waits at most, of a random time, before it calls a peer that may call it.
    var longestCallPause: Duration = .milliseconds(800)

    /// How long bluetoothd's reply to a call is waited for once it shows the services of the peer.
    ///
    /// Two that called each other at once have a connection, and one of the calls hangs for 40 s.
    var connectReplyLimit: Duration = .seconds(2)

    /// How often it is asked what it shows, as it does not signal that always.
    var connectInquiryPause: Duration = .seconds(2)

    /// How long a link that failed may be shown as one.
    var disconnectionLimit: Duration = .seconds(2)

    /// How long a peer whose object is gone is looked for while no other connection is being made.
    var searchLimit: Duration = .seconds(5)
}

extension Recovery {
    /// Tells, whenever it is called, how long ago it was made.
    func stopwatch() -> @Sendable () -> Duration {
        clock.stopwatch()
    }
}
