/**
 * How to build the default environment's image, and how to report the progress. Pure functions.
 *
 * The image contains `python` and `python3` with torch, pandas, scikit-learn, matplotlib and what they are commonly used
 * with, pip, a user `gpuq` (uid 10001), and the directories `/work` (the job's own directory, a tmpfs at run time) and `/job` (the job's code, read-only).
 */
import { createHash } from 'node:crypto'
import { formatBytes } from '../run/report.mjs'

/** The image of the default environment. If a change of the recipe may affect jobs, change the tag. */
export const defaultImage = 'gpuq/python:2'

const suite = 'bookworm'
const packages = [
  'python3',
  'python-is-python3',
  'python3-pip',
  'python3-venv',
  'python3-torch',
  'python3-pandas',
  'python3-numpy',
  'python3-sklearn',
  'python3-matplotlib',
  'python3-psutil',
  'python3-zmq',
  'python3-distributed',
]

/** Files that jobs do not need: documentation, translations, libtorch's own tests, and what SciPy's compiler brings. */
const excluded = [
  '/usr/share/doc/*',
  '/usr/share/man/*',
  '/usr/share/info/*',
  '/usr/share/locale/*',
  '/usr/share/lintian/*',
  '/usr/lib/libtorch-test/*',
  '/usr/include/boost/*',
  '/usr/share/unicode/*',
  '/usr/lib/*/openblas-pthread/*.a',
  '/usr/lib/python3.*/config-*/*.a',
  '/usr/lib/*/libpython*.a',
]

const customizing = [
  // Delete these tests after installation. They are compiled on configuration, so excluding them would fail.
  `cd "$1/usr/lib/python3/dist-packages" &&
    find pandas scipy sklearn matplotlib dask distributed -type d -name tests -prune -exec rm -r {} +`,
  // A job changes no system that other programs use, so pip may install for its user.
  'rm "$1"/usr/lib/python3*/EXTERNALLY-MANAGED',
  // torchrun of Debian's torch 1.13 fails with its own defaults: since Python 3.11, a loop over flags leaves out 0.
  `chroot "$1" sh -ec '
    cd /usr/lib/python3/dist-packages/torch/distributed/elastic/multiprocessing
    sed -i "s/for s in Std:/for s in Std.__members__.values():/" api.py
    python3 -m py_compile api.py'`,
  'mkdir -p "$1/work" "$1/job"',
  'chroot "$1" useradd --uid 10001 --no-create-home --home-dir /work --shell /usr/sbin/nologin gpuq',
  'chroot "$1" chown gpuq:gpuq /work',
]

/** The arguments of mmdebstrap, without the output file, which comes last. */
export const debianArguments = [
  '--variant=minbase',
  '--verbose',
  '--format=tar',
  `--include=${packages.join(',')}`,
  '--aptopt=Acquire::Languages "none"',
  '--aptopt=Acquire::Retries "3"',
  '--dpkgopt=force-unsafe-io',
  ...excluded.map((path) => `--dpkgopt=path-exclude=${path}`),
  '--dpkgopt=path-include=/usr/share/doc/*/copyright',
  ...customizing.map((command) => `--customize-hook=${command}`),
  suite,
]

/** The image configuration that `docker import` sets. */
export const debianConfiguration = [
  'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'ENV LANG=C.UTF-8',
  'ENV PYTHONUNBUFFERED=1',
  'WORKDIR /work',
  'CMD ["python"]',
]

/**
 * The name of the cached file system. It differs by recipe and architecture.
 * @param {string} architecture
 */
export function cachedRootfsName(architecture) {
  const recipe = JSON.stringify([debianArguments, architecture])
  return `python-${createHash('sha256').update(recipe).digest('hex').slice(0, 16)}.tar`
}

const wheels = [
  'pandas==2.3.1',
  'scikit-learn==1.6.1',
  'matplotlib==3.10.9',
  'pyarrow==25.0.1',
  'psutil==7.2.2',
  'pyzmq==27.2.0',
  'distributed==2025.5.1',
]

/**
 * The public base image and the packages to add. PyTorch publishes its image for amd64 only.
 * @param {string} architecture as the engine names it
 */
export function registryRecipe(architecture) {
  const [base, missing] =
    architecture === 'amd64'
      ? ['docker.io/pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime', []]
      : ['docker.io/library/python:3.12-slim-bookworm', ['torch==2.7.1', 'numpy==2.3.1']]
  const added = [...missing, ...wheels].join(' ')
  const dockerfile = `FROM ${base}
RUN pip install --no-cache-dir --disable-pip-version-check ${added} \\
 && useradd --uid 10001 --no-create-home --home-dir /work --shell /usr/sbin/nologin gpuq \\
 && mkdir -p /work /job && chown gpuq:gpuq /work
ENV LANG=C.UTF-8 PYTHONUNBUFFERED=1
WORKDIR /work
ENTRYPOINT []
CMD ["python"]
`
  return { base, dockerfile }
}

/** Runs in a new image before it is tagged. Tests everything that the environment promises. */
export const smokeTest = `
import os, pwd, shutil, subprocess, sys
import distributed, matplotlib, numpy, pandas, psutil, sklearn, torch, zmq
from torch.distributed.elastic.multiprocessing import Std
assert shutil.which("python") and shutil.which("python3")
assert pwd.getpwuid(10001).pw_name == "gpuq" and os.getcwd() == "/work" and os.path.isdir("/job")
assert float((torch.ones(64, 64) @ torch.ones(64, 64)).sum()) == 64.0 ** 3
assert int(pandas.DataFrame({"a": numpy.arange(4)}).a.sum()) == 6
assert Std.from_str("0") == Std.NONE
open("/work/written", "w").write("ok")
subprocess.run([sys.executable, "-m", "venv", "/work/venv"], check=True)
subprocess.run(["/work/venv/bin/python", "-m", "pip", "--version"], check=True)
print("torch", torch.__version__, "pandas", pandas.__version__)
`

/** @param {string} text a size as apt prints it, such as `262 MB` */
export function parseSize(text) {
  const match = /^([\d.,]+) ([kMG]?)B$/.exec(text)
  if (!match) return 0
  const factors = { k: 1e3, M: 1e6, G: 1e9, '': 1 }
  const unit = /** @type {keyof typeof factors} */ (match[2] ?? '')
  return Number((match[1] ?? '').replaceAll(',', '')) * factors[unit]
}

/**
 * Parses the output of mmdebstrap, and reports what the user should see.
 * @param {(note: string) => void} progress
 */
export function followDebian(progress) {
  const seen = { total: 0, received: 0, unpacked: 0, configured: 0 }
  return (/** @type {string} */ line) => {
    const found = /^\d+ upgraded, (\d+) newly installed/.exec(line)
    if (found) seen.total += Number(found[1])
    const size = /^Get:\d+ .*\[([^\]]+)\]$/.exec(line)?.[1]
    if (size) {
      seen.received += parseSize(size)
      progress(`downloading packages, ${formatBytes(seen.received)}`)
    }
    if (/^Unpacking /.test(line)) progress(`unpacking package ${++seen.unpacked} of ${seen.total}`)
    if (/^Setting up /.test(line)) progress(`setting up package ${++seen.configured} of ${seen.total}`)
    if (/^I: creating tarball/.test(line)) progress('creating the file system archive')
  }
}

/**
 * Parses the engine's messages during a pull and a build, and reports what the user should see.
 * @param {(note: string) => void} progress
 */
export function followEngine(progress) {
  /** @type {Map<string, { current: number, total: number }>} */
  const layers = new Map()
  return (/** @type {{ id?: string, status?: string, stream?: string, progressDetail?: any }} */ message) => {
    const step = message.stream?.trim().split('\n')[0]
    if (message.status === 'Downloading' && message.id && message.progressDetail?.total) {
      layers.set(message.id, message.progressDetail)
      const sum = (/** @type {'current' | 'total'} */ key) =>
        [...layers.values()].reduce((total, layer) => total + layer[key], 0)
      progress(`downloading ${formatBytes(sum('current'))} of ${formatBytes(sum('total'))}`)
    } else if (message.status === 'Extracting') progress(`unpacking layer ${message.id}`)
    else if (step) progress(step)
  }
}
