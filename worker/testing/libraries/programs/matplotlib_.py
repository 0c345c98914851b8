import matplotlib.pyplot as plt

plt.plot([1, 2], [3, 4], label="é 中")
plt.legend()
plt.savefig("/results/figure.png")
assert open("/results/figure.png", "rb").read(4) == b"\x89PNG"
