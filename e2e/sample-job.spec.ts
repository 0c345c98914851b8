import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { readImage } from '@/lib/artifacts/contract-image-size'
import { test } from './browser-test'
import { ensureProgram } from './ensure-program'
import { expectStatus } from './job-page'
import { signIn } from './sign-in'
import { createUser, noLimits } from './test-users'
import { configText, submit } from './uploads'

/** Tests the job of the first start. */

const sample = join(import.meta.dirname, '..', 'deploy', 'sample')
const found = { slope: expect.closeTo(3, 0), offset: expect.closeTo(0.5, 1) }
/** The loss of each step, and then what the job found. */
const learned = [
  ...Array.from({ length: 50 }, (_, at) => ({ step: at + 1, loss: expect.any(Number) })),
  found,
]

test('the sample job computes with torch, and says that it ran on the CPU', async () => {
  const person = await createUser({ name: 'sampler', limits: noLimits })
  const code = await readFile(join(sample, 'solution.py'), 'utf8')
  const jobId = await submit(person, code, configText({ memory_gb: 1 }))
  await expect.poll(async () => (await person.client.jobs.get(jobId)).status).toBe('completed')
  const { stdout, results } = await person.client.jobs.result(jobId)
  const { artifacts } = await person.client.jobs.artifacts(jobId)
  expect(artifacts.map(({ path }) => path)).toEqual(['fit.png'])
  expect(stdout).toMatch(/^Hello from gpuq: torch \S+ computes on the CPU, because it finds no GPU\.\n/)
  expect(results).toEqual(learned)
})

test('a newcomer runs the sample job with one click, by the keyboard', async ({ page, context }) => {
  const person = await createUser({ name: 'newcomer' })
  await signIn(context, person)
  await page.goto('/jobs')
  await expect(page.getByText('No jobs yet')).toBeVisible()
  await page.getByRole('button', { name: 'Run a sample job' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Sample job' })).toBeVisible()
  await expectStatus(page, 'Completed')
  const [job] = (await person.client.jobs.list()).items
  expect(page.url()).toContain(`/jobs/${job?.job_id}`)
  expect((await person.client.jobs.result(job?.job_id ?? '')).results).toEqual(learned)
})

/** A stand-in for NVIDIA's driver with one GPU, and for cupy. */
const standIns = `
import ctypes, runpy, sys, types
class Driver:
    def __init__(self, name): pass
    def cuInit(self, flags): return 0
    def cuDeviceGetCount(self, count): count._obj.value = 1; return 0
    def cuDeviceGet(self, device, index): device._obj.value = index; return 0
    def cuDeviceGetName(self, name, size, device): name.value = b"Stand-in"; return 0
ctypes.CDLL = Driver
class Array:
    def __init__(self, values): self.values = list(values)
    def all(self, other): return other.values if isinstance(other, Array) else [other] * len(self.values)
    def __mul__(self, other): return Array(a * b for a, b in zip(self.values, self.all(other)))
    def __add__(self, other): return Array(a + b for a, b in zip(self.values, self.all(other)))
    def __sub__(self, other): return Array(a - b for a, b in zip(self.values, self.all(other)))
    def mean(self): return sum(self.values) / len(self.values)
cupy = types.SimpleNamespace(asarray=Array, __version__="0", cuda=types.SimpleNamespace(is_available=lambda: True))
if sys.argv[2] == "cupy": sys.modules["cupy"] = cupy
runpy.run_path(sys.argv[1])
`

test('the sample job needs no package, and names the GPU that it uses or cannot use', async () => {
  await ensureProgram('python3', ['python3'])
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-sample-'))
  try {
    const program = join(directory, 'with-stand-ins.py')
    await writeFile(program, standIns)
    const solution = join(sample, 'solution.py')
    // Without site-packages, so that no package of this machine is found.
    const run = async (...args: string[]) => {
      const env = { ...process.env, RESULTS: directory }
      return (await promisify(execFile)('python3', ['-S', '-E', ...args], { env })).stdout.split('\n')
    }
    const plain = await run(solution)
    expect(readImage(await readFile(join(directory, 'fit.png')))).toEqual({
      type: 'image/png',
      size: { width: 320, height: 320 },
    })
    expect(plain[0]).toBe('Hello from gpuq: Python alone computes on the CPU, because it finds no GPU.')
    expect(JSON.parse(plain.at(-2) ?? '')).toEqual(found)
    expect((await run(program, solution, 'no cupy'))[0]).toBe(
      'Hello from gpuq: Python alone computes on the CPU, because it cannot use GPU 0 (Stand-in).',
    )
    const used = await run(program, solution, 'cupy')
    expect(used[0]).toBe('Hello from gpuq: cupy 0 computes on GPU 0 (Stand-in).')
    expect(JSON.parse(used.at(-2) ?? '')).toEqual(found)
  } finally {
    await rm(directory, { recursive: true })
  }
})
