import numpy

a = numpy.random.default_rng(0).normal(size=(300, 300))
numpy.testing.assert_allclose(numpy.linalg.inv(a) @ a, numpy.eye(300), atol=1e-8)
numpy.save("/tmp/a.npy", a)
assert (numpy.load("/tmp/a.npy", mmap_mode="r") == a).all()
