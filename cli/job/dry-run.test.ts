import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { DryRun } from '@/lib/contract/submission/dry-run'
import { ProblemError } from '@/lib/http/client/problem'
import { run } from '../commands/run/run'
import { submit } from '../commands/submit'
import { describeError } from '../console/describe-error'
import { createProgram } from '../program'
import { fakeContext } from '../testing/fake-context'
import { renderDryRun } from './dry-run'

createProgram()

const answer: DryRun = {
  dry_run: true,
  text: 'gpuq would accept the job. Nothing was queued. It would start now.',
  project_id: 'vision',
  project_note: 'Creates the private project "vision".',
  environment: 'python',
  resources: {
    gpu_count: 2,
    gpu_fraction: null,
    gpu_memory_gb: 40,
    gpu_model: 'H100',
    instance_count: 2,
    cpu: 8,
    memory_gb: null,
    pool: 'on-demand',
  },
  max_time: 900,
  waits_for: [],
  queue_position: 1,
  expected_start: '2026-11-27T10:05:00Z',
  expected_start_text: null,
  left: { submissions_this_minute: 4, active_jobs: 0, waiting_jobs: null, dependent_jobs: 100 },
  hardware: [
    { model: 'NVIDIA H100', memory_mib: 81_920, gpus: 16, free: 3, largest_node: 8, simulated: false },
    { model: 'Simulated GPU', memory_mib: 24_576, gpus: 2, free: 2, largest_node: 2, simulated: true },
  ],
}

/** A context whose server answers with this, and what it was asked. */
function context(respond: () => Response = () => Response.json(answer)) {
  const asked: { address: string; form: FormData | null; body: unknown }[] = []
  const made = fakeContext(async (request) => {
    const { pathname, search } = new URL(request.url)
    const isJson = request.headers.get('content-type') === 'application/json'
    const [form, body] = isJson ? [null, await request.json()] : [await request.formData(), null]
    asked.push({ address: pathname + search, form, body })
    return respond()
  })
  return { made, asked }
}

const textOf = async (form: FormData | null | undefined, part: string) =>
  (form?.get(part) as File | null)?.text()

it('prints what a submission would do', () => {
  expect(
    renderDryRun(answer, Date.parse('2026-11-27T10:00:00Z')),
  ).toBe(`gpuq would accept the job. Nothing was queued.
project:         vision
environment:     python
resources:       2 nodes with 2 GPUs, H100, at least 40 GB each, 8 cores, pool on-demand
time limit:      15 min 0 s
expected start:  in 5 min 0 s
queue position:  1
left after it:   4 submissions in this minute, 0 active jobs
hardware:        NVIDIA H100, 80 GiB: 3 of 16 free; Simulated GPU, 24 GiB: 2 of 2 free, simulated
Creates the private project "vision".
`)
})

it('submit --dry-run sends the program and its config, and queues nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-dry-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const program = join(directory, 'train.py')
  await writeFile(program, 'print(1)')
  const { made, asked } = context()
  expect(await submit(made, program, undefined, { wait: true, dryRun: true, gpus: 2 })).toBe(0)
  expect(asked.map(({ address }) => address)).toEqual(['/api/submit?dry_run=true'])
  expect(await textOf(asked[0]?.form, 'code')).toBe('print(1)')
  expect(await textOf(asked[0]?.form, 'config_file')).toContain('gpu_count: 2')
  expect(made.written.out).toMatch(/^gpuq would accept the job\. Nothing was queued\.\n/)
})

it('run --dry-run sends the command, and no directory', async () => {
  for (const options of [{ withDir: true }, { sync: true }]) {
    const { made, asked } = context()
    expect(await run(made, ['python', 'x.py'], { dryRun: true, json: true, ...options })).toBe(0)
    expect(asked).toHaveLength(1)
    expect(await textOf(asked[0]?.form, 'config_file')).toContain('command: python x.py')
    expect(JSON.parse(made.written.out)).toEqual(answer)
  }
})

it.each([
  { times: {}, sent: 'max_time: 2000000' },
  { times: { max_time: 60 }, sent: 'max_time: 60' },
  { times: { expected_time: 60 }, sent: 'expected_time: 60' },
])('a directory with the times $times is run with $sent', async ({ times, sent }) => {
  const { made, asked } = context()
  expect(await run(made, ['true'], { dryRun: true, withDir: true, ...times })).toBe(0)
  const config = await textOf(asked[0]?.form, 'config_file')
  expect(config).toContain(sent)
  expect(config?.includes('max_time')).toBe(!('expected_time' in times))
})

it('run --dry-run asks the queue about a command without a directory, as its submission does', async () => {
  const { made, asked } = context()
  const options = { dryRun: true, gpus: 0.5, name: 'a run', expected_time: 60, project_id: 'p' }
  expect(await run(made, ['python', 'x.py'], options)).toBe(0)
  expect(asked).toMatchObject([
    {
      address: '/api/queue/submit?dry_run=true',
      body: {
        command: 'python x.py',
        gpu_fraction: 0.5,
        run_id: 'a run',
        estimated_duration_seconds: 60,
        project_id: 'p',
      },
    },
  ])
  expect(made.written.out).toMatch(/^gpuq would accept the job\./)
})

it('says who decides the start where nobody can predict it', () => {
  const told = renderDryRun({ ...answer, expected_start: null, expected_start_text: 'Slurm decides.' }, 0)
  expect(told).toContain('expected start:  Slurm decides.\n')
})

it('a job that never fits: the options of the nearest request', async () => {
  const problem = {
    type: 'about:blank',
    title: 'x',
    status: 422,
    code: 'never_fits',
    detail:
      'This job cannot start: no node is large enough. The nearest request that fits: gpu_count: 2, gpu_model: NVIDIA H100, no allowed_gpus.',
    errors: [{ path: 'gpu_count', message: 'must be at most 2' }],
    nearest: { gpu_count: 2, gpu_model: 'NVIDIA H100', allowed_gpus: null },
  }
  const { made } = context(() => Response.json(problem, { status: 422 }))
  const error = await run(made, ['true'], { dryRun: true }).catch((thrown: unknown) => thrown)
  expect(describeError(error, null).text).toBe(
    "gpuq: This job cannot start: no node is large enough.\n  Use: --gpus 2, --gpu-model 'NVIDIA H100', no --allowed-gpus\n",
  )
})

it('a mistake that the sentence names already is printed once, and others have lines of their own', () => {
  const errors = [{ path: 'command', message: 'is empty', line: 4, column: 1 }]
  const refuse = (detail: string) =>
    describeError(new ProblemError({ status: 422, code: 'invalid_fields', detail, errors }), null).text
  expect(refuse('config_file, line 4: command: is empty')).toBe(
    'gpuq: config_file, line 4: command: is empty\n',
  )
  expect(refuse('The config is wrong.')).toBe(
    'gpuq: The config is wrong.\n  command: is empty (line 4, column 1)\n',
  )
})

it('a limit: the commands for each job that counts', () => {
  const jobs = [
    { job_id: 'first-id', name: 'baseline', status: 'running' },
    { job_id: 'second-id', name: null, status: 'pending' },
  ]
  const error = new ProblemError({
    status: 429,
    code: 'rate_limited',
    detail: 'You have 2 active jobs.',
    jobs,
  })
  expect(describeError(error, null).text).toBe(
    [
      'gpuq: You have 2 active jobs.',
      '  "baseline", running: gpuq status first-id, or gpuq cancel first-id',
      '  job second-id, pending: gpuq status second-id, or gpuq cancel second-id',
      '',
    ].join('\n'),
  )
})
