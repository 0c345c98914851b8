import os
import subprocess

worker = """
import os, torch, torch.distributed
torch.distributed.init_process_group("gloo")
value = torch.ones(1)
torch.distributed.all_reduce(value)
# One write: what print() writes in parts, the other process may interrupt.
os.write(1, f"sum {int(value)}\\n".encode())
torch.distributed.destroy_process_group()
"""
open("worker.py", "w").write(worker)
# The second command is that of the guide, with the variables that a job on several nodes has.
guide = """torchrun --nnodes $NNODES --node_rank $NODE_RANK --nproc_per_node $NPROC_PER_NODE \
  --master_addr $MASTER_ADDR --master_port $MASTER_PORT worker.py"""
variables = {"NNODES": "1", "NODE_RANK": "0", "NPROC_PER_NODE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511"}
for command in ["torchrun --standalone --nproc_per_node 2 worker.py", guide]:
    ran = subprocess.run(command, shell=True, env={**os.environ, **variables}, capture_output=True, text=True)
    assert ran.stdout == "sum 2\nsum 2\n", ran
