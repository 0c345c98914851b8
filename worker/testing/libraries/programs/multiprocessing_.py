import multiprocessing
from multiprocessing import shared_memory


def square(number):
    return number * number


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(square, range(10)) == [i * i for i in range(10)]
    with multiprocessing.Manager() as manager:
        assert manager.dict(a=1)["a"] == 1
    memory = shared_memory.SharedMemory(create=True, size=1 << 20)
    memory.buf[0] = 7
    same = shared_memory.SharedMemory(memory.name)
    assert same.buf[0] == 7
    same.close()
    memory.close()
    memory.unlink()
