import asyncio


async def main():
    # The name of the host has two addresses, and a server binds both.
    for host in ("127.0.0.1", "localhost"):
        server = await asyncio.start_server(lambda reader, writer: writer.write(b"hi\n"), host, 0)
        for listening in server.sockets:
            reader, writer = await asyncio.open_connection(*listening.getsockname()[:2])
            assert await reader.readline() == b"hi\n"
            writer.close()
    program = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)
    assert (await program.communicate())[0] == b"hello\n"


asyncio.run(main())
