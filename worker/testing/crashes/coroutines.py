#: raised in a coroutine
import asyncio
async def main():
    print("before 1")
    await asyncio.sleep(0.01)
    raise ValueError("#1")
asyncio.run(main())
#: raised in a task that is awaited
import asyncio
async def work():
    print("before 1")
    await asyncio.sleep(0)
    raise ValueError("#1")
async def main():
    await asyncio.create_task(work())
asyncio.run(main())
#: raised in a task that nobody awaits
import asyncio, gc
async def work():
    print("before 1")
    raise ValueError("#1")
async def main():
    task = asyncio.create_task(work())
    await asyncio.sleep(0.01)
    del task
    gc.collect()
    print("continues")
asyncio.run(main())
#: raised in a group of tasks
import asyncio
async def work(n):
    print("before 1", n)
    await asyncio.sleep(0.01 * n)
    raise ValueError(f"#1 {n}")
async def main():
    async with asyncio.TaskGroup() as group:
        for n in range(3):
            group.create_task(work(n))
asyncio.run(main())
#: raised in one of the gathered coroutines
import asyncio
async def work(n):
    print("before 1", n)
    if n == 2:
        raise ValueError("#1")
    await asyncio.sleep(1)
async def main():
    await asyncio.gather(*(work(n) for n in range(3)))
asyncio.run(main())
#: raised in a callback of the loop
import asyncio
def callback():
    print("before 1")
    raise ValueError("#1")
async def main():
    asyncio.get_running_loop().call_soon(callback)
    await asyncio.sleep(0.3)
    print("continues")
asyncio.run(main())
#: raised in a thread of the loop
import asyncio
def work():
    print("before 1")
    raise ValueError("#1")
async def main():
    await asyncio.to_thread(work)
asyncio.run(main())
#: raised while another task prints
import asyncio
async def work():
    while True:
        print("working")
        await asyncio.sleep(0.001)
async def main():
    task = asyncio.create_task(work())
    await asyncio.sleep(0.03)
    print("before 1")
    raise ValueError("#1")
asyncio.run(main())
