/**
 * How the default environment's image is made, and how its making reads on the screen. Pure.
 *
 * The image holds `python` and `python3` with torch, pandas and numpy, a user `gpuq` (uid 10001), and the
 * directories `/work` (a job's own, at run time a tmpfs) and `/job` (its code, read-only).
 */
import { createHash } from 'node:crypto'
import { formatBytes } from '../run/report.mjs'

/** The image of the default environment. A new recipe that jobs could notice gets a new tag. */
export const defaultImage = 'gpuq/python:1'

const suite = 'bookworm'
const packages = ['python3', 'python3-torch', 'python3-pandas', 'python3-numpy', 'python-is-python3']

/** What no job needs: documentation, translations, and libtorch's own tests. */
const excluded = [
  '/usr/share/doc/*',
  '/usr/share/man/*',
  '/usr/share/info/*',
  '/usr/share/locale/*',
  '/usr/share/lintian/*',
  '/usr/lib/libtorch-test/*',
]

const customizing = [
  // Left out of the packages instead, pandas would fail to configure: it compiles them first.
  'rm -rf "$1/usr/lib/python3/dist-packages/pandas/tests"',
  'mkdir -p "$1/work" "$1/job"',
  'chroot "$1" useradd --uid 10001 --no-create-home --home-dir /work --shell /usr/sbin/nologin gpuq',
  'chroot "$1" chown gpuq:gpuq /work',
]

/** Arguments of mmdebstrap but for the file it writes, which comes last. */
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

/** What `docker import` is to write into the image's configuration. */
export const debianConfiguration = [
  'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'ENV LANG=C.UTF-8',
  'ENV PYTHONUNBUFFERED=1',
  'WORKDIR /work',
  'CMD ["python"]',
]

/**
 * The cached file system's name: another recipe or another processor is another file.
 * @param {string} architecture
 */
export function cachedRootfsName(architecture) {
  const recipe = JSON.stringify([debianArguments, architecture])
  return `python-${createHash('sha256').update(recipe).digest('hex').slice(0, 16)}.tar`
}

/**
 * The public image to start from, and what it lacks. PyTorch's own image exists for amd64 only.
 * @param {string} architecture as the engine names it
 */
export function registryRecipe(architecture) {
  const [base, missing] =
    architecture === 'amd64'
      ? ['docker.io/pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime', 'pandas==2.3.1']
      : ['docker.io/library/python:3.12-slim-bookworm', 'torch==2.7.1 numpy==2.3.1 pandas==2.3.1']
  const dockerfile = `FROM ${base}
RUN pip install --no-cache-dir --disable-pip-version-check ${missing} \\
 && useradd --uid 10001 --no-create-home --home-dir /work --shell /usr/sbin/nologin gpuq \\
 && mkdir -p /work /job && chown gpuq:gpuq /work
ENV LANG=C.UTF-8 PYTHONUNBUFFERED=1
WORKDIR /work
ENTRYPOINT []
CMD ["python"]
`
  return { base, dockerfile }
}

/** Run inside a new image before it gets its name: everything the environment promises, in one program. */
export const smokeTest = `
import os, pwd, shutil
import numpy, pandas, torch
assert shutil.which("python") and shutil.which("python3")
assert pwd.getpwuid(10001).pw_name == "gpuq" and os.getcwd() == "/work" and os.path.isdir("/job")
assert float((torch.ones(64, 64) @ torch.ones(64, 64)).sum()) == 64.0 ** 3
assert int(pandas.DataFrame({"a": numpy.arange(4)}).a.sum()) == 6
open("/work/written", "w").write("ok")
print("torch", torch.__version__, "pandas", pandas.__version__)
`

/** @param {string} text such as `262 MB` in apt's words */
export function parseSize(text) {
  const match = /^([\d.,]+) ([kMG]?)B$/.exec(text)
  if (!match) return 0
  const factors = { k: 1e3, M: 1e6, G: 1e9, '': 1 }
  const unit = /** @type {keyof typeof factors} */ (match[2] ?? '')
  return Number((match[1] ?? '').replaceAll(',', '')) * factors[unit]
}

/** Follows mmdebstrap's lines; gives a note for those that change what a person should know. */
export function followDebian() {
  const seen = { total: 0, received: 0, unpacked: 0, configured: 0 }
  return (/** @type {string} */ line) => {
    const found = /^\d+ upgraded, (\d+) newly installed/.exec(line)
    if (found) seen.total += Number(found[1])
    const size = /^Get:\d+ .*\[([^\]]+)\]$/.exec(line)?.[1]
    if (size) {
      seen.received += parseSize(size)
      return `downloading packages, ${formatBytes(seen.received)}`
    }
    if (/^Unpacking /.test(line)) return `unpacking package ${++seen.unpacked} of ${seen.total}`
    if (/^Setting up /.test(line)) return `setting up package ${++seen.configured} of ${seen.total}`
    if (/^I: creating tarball/.test(line)) return 'packing the file system'
    return null
  }
}

/** Follows what an engine says while it pulls and builds. */
export function followEngine() {
  /** @type {Map<string, { current: number, total: number }>} */
  const layers = new Map()
  return (/** @type {{ id?: string, status?: string, stream?: string, progressDetail?: any }} */ message) => {
    if (message.status === 'Downloading' && message.id && message.progressDetail?.total) {
      layers.set(message.id, message.progressDetail)
      const sum = (/** @type {'current' | 'total'} */ key) =>
        [...layers.values()].reduce((total, layer) => total + layer[key], 0)
      return `downloading ${formatBytes(sum('current'))} of ${formatBytes(sum('total'))}`
    }
    if (message.status === 'Extracting') return `unpacking layer ${message.id}`
    return message.stream?.trim().split('\n')[0] || null
  }
}
