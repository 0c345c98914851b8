import dask.array
from dask.distributed import Client, LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        assert client.submit(sum, [1, 2, 3]).result() == 6
        assert int(dask.array.ones((1000, 1000), chunks=250).sum().compute()) == 1_000_000
