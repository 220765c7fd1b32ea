"""Values around every limit."""

from stage import scenario, succeed

AROUND = (1, 20, 507, 508, 509, 510, 511, 512, 513, 514, 515)


@scenario
async def sizes_of_requests(stage):
    """Write requests."""
    _, central, ball = await stage.linked()
    question = central.find("Question", ball)
    for size in AROUND:
        async with stage.step(f"{size} bytes"):
            await central.write(question, b"x" * size, type="request")


@scenario
async def sizes_of_commands(stage):
    """Write commands."""
    _, central, ball = await stage.linked()
    wish = central.find("Wish", ball)
    for size in AROUND:
        async with stage.step(f"{size} bytes"):
            await central.write(wish, b"x" * size, type="command")


@scenario
async def sizes_of_reliable_writes(stage):
    """Reliable writes."""
    _, central, ball = await stage.linked()
    question = central.find("Question", ball)
    for size in (507, 508, 510, 511, 512, 513):
        async with stage.step(f"{size} bytes"):
            await central.write(question, b"x" * size, type="reliable")


@scenario
async def sizes_of_reads(stage):
    """Reads."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    for size in (510, 511, 512, 513, 600):
        app.answers("answer", "ReadValue", b"x" * size)
        async with stage.step(f"{size} bytes"):
            await central.read(answer)


@scenario
async def sizes_of_notifications(stage):
    """Notifications."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Answer", ball)))
    for size in (0, *AROUND):
        async with stage.step(f"{size} bytes"):
            app.notify(b"x" * size)


@scenario
async def sizes_into_sockets(stage):
    """Bytes into the socket of AcquireWrite."""
    _, central, ball = await stage.linked()
    end = stage.socket(succeed(await central.acquire(central.find("Wish", ball), "Write")))
    for size in (510, 511, 512, 513, 514):
        async with stage.step(f"{size} bytes"):
            stage.feed(central, end, b"x" * size)
