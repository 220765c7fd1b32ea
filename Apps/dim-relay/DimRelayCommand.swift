import ArgumentParser

@main
struct DimRelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dim-relay",
        abstract: "Send messages over a mesh of Bluetooth LE devices, and relay those of others.",
        discussion: """
            It speaks with the dIM app, and with others of its kind. Messages are
            encrypted; who writes to whom is not. Two people need each other's link first,
            which they show as a QR code or send as text.

              dim-relay link --name alice
              dim-relay add 'dim://bobby#5678//…'
              dim-relay node
              dim-relay send bobby "Hi 👋"

            Your key, contacts and messages are in ~/.local/share/dim-relay, or where
            --store says. While a node runs with a store, the other commands speak to it;
            else they open the store themselves, and only 'send' needs a radio then.

            With --json each event is one JSON object a line, on standard output.
              {"event":"link","address","link","fingerprint"}
              {"event":"ready","address","link"}
              {"event":"unready" or "missed" or "notKept","code","message"}
              {"event":"connected" or "disconnected","device","name"[,"rssi","message"]}
              {"event":"received","from","id","text"}
              {"event":"relayed","id","device"}
              {"event":"sent","to","id"}
              {"event":"delivered" or "read","to","id"}
              {"event":"failed","to","id","code","message"}
              {"event":"stored","contact","id","outgoing","text","time","status"}
              {"event":"added","contact","fingerprint"}
              {"event":"contact","contact","fingerprint","verified","unread"}
              {"event":"removed" or "cleared","contact"}
              {"event":"deleted","contact","id"}
              {"event":"erased","store"}
              {"event":"neighbour","device","name","heard"[,"rssi","hears"]}
              {"event":"undecipherable","from"}
              {"event":"counters","received","delivered","relayed","originated","replayed",
                 "tooLong","pushedOut","failed",
                 "known","malformed","neighbourRate","senderRate","noRoom","stranger",
                 "notDecrypted","copied","unexpectedReceipt","position","queued","neighbours"}
              {"event":"error","code","message","status"}

            Exit status:
              0    all is done
              64   wrong usage
              65   a text or a link cannot be sent or read, or a store is damaged or none
              66   a picture cannot be read
              68   no such contact or message
              69   no radio, no such adapter, no bluetoothd, or no node that runs
              70   our own fault
              73   a file, or standard output, cannot be written
              75   busy, the node ended, or a message was not acknowledged in time:
                   it goes on waiting
              77   the system does not allow it
              130  interrupted by SIGINT, 143 by SIGTERM
            """,
        subcommands: [
            NodeCommand.self, LinkCommand.self, Add.self, Contacts.self, Verify.self,
            Remove.self, Send.self, Resend.self, Messages.self, Delete.self, Clear.self, Who.self,
            Erase.self,
        ]
    )
}
