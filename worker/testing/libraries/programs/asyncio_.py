import asyncio


async def main():
    server = await asyncio.start_server(lambda reader, writer: writer.write(b"hi\n"), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await reader.readline() == b"hi\n"
    writer.close()
    program = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)
    assert (await program.communicate())[0] == b"hello\n"


asyncio.run(main())
