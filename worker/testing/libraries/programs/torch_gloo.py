import torch
import torch.distributed
import torch.multiprocessing


def work(rank):
    torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:29510", rank=rank, world_size=2)
    value = torch.tensor([rank + 1.0])
    torch.distributed.all_reduce(value)
    assert value.item() == 3
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=2)
