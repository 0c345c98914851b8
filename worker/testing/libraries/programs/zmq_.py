import threading

import zmq

context = zmq.Context()
server = context.socket(zmq.REP)
port = server.bind_to_random_port("tcp://127.0.0.1")
threading.Thread(target=lambda: server.send(server.recv().upper())).start()
client = context.socket(zmq.REQ)
client.connect(f"tcp://127.0.0.1:{port}")
client.send(b"hello")
assert client.recv() == b"HELLO"
left, right = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
left.bind("ipc:///tmp/pair")
right.connect("ipc:///tmp/pair")
right.send(b"x")
assert left.recv() == b"x"
