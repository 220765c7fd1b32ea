import ArgumentParser

@main
struct BlueChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluechat",
        abstract: "Chat with somebody nearby over Bluetooth LE.",
        discussion: """
            Without a command it is a full-screen chat; its key, friends and messages are
            in ~/.local/share/bluechat. With others of its kind chats are encrypted,
            several can be on, and what a friend does not get now waits. With the BlueChat
            app it is one chat of short texts, not encrypted; who calls does not say a name
            there, so that somebody who was never seen nearby is "(unknown)".

              bluechat --name Alice
              bluechat listen --name Bob
              bluechat who
              bluechat send Bob "Hi 👋"

            With --json each event is one JSON object a line, on standard output.
              {"event":"temporary","message"} when another bluechat has your messages
              {"event":"ready","name"}
              {"event":"unready" or "searchInterrupted" or "missed","code","message"}
              {"event":"nearby","name","device","rssi"}
              {"event":"began","chat","name","device","origin"[,"key"]}
              {"event":"text","chat","name","device","text"[,"message","key"]}
              {"event":"file" or "edit" or "deletion", the same}
              {"event":"sent","chat","text" or "file"}
              {"event":"answered","chat","text","message"} when it is kept, not yet sent
              {"event":"delivered" or "read" or "refused","chat","name","message"}
            of texts to the app, with listen
              {"event":"delivered" or "unconfirmed","name","message"}
              {"event":"failed","name","message","reason"}
              {"event":"postponed","name","message","code","reason"} while it waits
            and
              {"event":"keyChanged","old","key"}
              {"event":"callFailed","code","message"}
              {"event":"friend","name","key","state","verified","unread","waiting"}
              {"event":"added" or "removed" or "blocked" or "renamed","name"}
              {"event":"message","name","key","id","direction","text","sent"
                 [,"file","state","reason","deleted"]}
              {"event":"malformed","chat","code","message"}
              {"event":"refusedCaller","device"}
              {"event":"ended","chat"[,"code","message"]}
              {"event":"error","code","message","status"}

            Exit status:
              0    all is done
              64   wrong usage
              65   a text is too long, or empty, or a store is damaged or none
              66   a file cannot be read
              68   nobody of that name was found
              69   no radio, no such adapter, or no bluetoothd
              70   our own fault
              73   a file, or standard output, cannot be written, or the disk is full
              75   busy, gone, or timed out
              76   the other end broke the protocol
              77   the system does not allow it
              130  interrupted by SIGINT, 143 by SIGTERM
            """,
        subcommands: [
            FullScreen.self, Send.self, Listen.self, Who.self, Friends.self, Add.self, Remove.self,
            Block.self, Rename.self, History.self, Export.self,
        ],
        defaultSubcommand: FullScreen.self
    )
}
