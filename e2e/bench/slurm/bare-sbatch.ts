import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '@/lib/async/pool'
import { buildSeccompProfile } from '@/worker/runtime/spec/seccomp'
import type { SlurmCluster } from '@/worker/slurm/testing/slurm-cluster'
import { type Drain, jobProgram, submitters } from './drain'

/** The share of one GPU of a test node, as gpuq asks for it: an eighth of the CPUs and of nine tenths of the memory. */
const share = { cpus: 2, memoryMib: 2_250 }
const pollMs = 100

/** Slurm without gpuq: each batch script runs the container that gpuq would run. */
export class BareSbatch {
  private constructor(
    private readonly slurm: SlurmCluster,
    private readonly directory: string,
  ) {}

  static async prepare(slurm: SlurmCluster): Promise<BareSbatch> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-'))
    await writeFile(join(directory, 'solution.py'), jobProgram, { mode: 0o644 })
    const profile = JSON.stringify(buildSeccompProfile())
    await writeFile(join(directory, 'seccomp.json'), profile)
    await writeFile(
      join(directory, 'job.sh'),
      `#!/bin/sh\nexec docker ${dockerArguments(directory).join(' ')}\n`,
    )
    return new BareSbatch(slurm, directory)
  }

  /** Time until no job is left. The jobs' results must all be there. */
  async drain(jobs: number): Promise<Drain> {
    const began = performance.now()
    const numbers = Array.from({ length: jobs }, (_, index) => index)
    await inParallel(
      numbers,
      submitters,
      (index) => this.submit(`drain-${index}`),
      new AbortController().signal,
    )
    const submitted = performance.now() - began
    while ((await this.slurm.run('squeue', ['--noheader', '--format=%A'])) !== '') await sleep(pollMs)
    const drained = performance.now() - began
    for (const index of numbers) {
      const output = await this.output(`drain-${index}`)
      if (output === '') throw new Error(`job ${index} of sbatch printed nothing`)
    }
    return { submitted, drained }
  }

  /** Time from sbatch to the first line in the job's output file. */
  async firstLine(): Promise<number> {
    const name = `first-${performance.now()}`
    const began = performance.now()
    await this.submit(name)
    while ((await this.output(name)) === '') await sleep(2)
    const took = performance.now() - began
    while ((await this.slurm.run('squeue', ['--noheader', '--format=%A'])) !== '') await sleep(pollMs)
    return took
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true })
  }

  private output(name: string): Promise<string> {
    return readFile(join(this.directory, `${name}.out`), 'utf8').catch(() => '')
  }

  private submit(name: string): Promise<void> {
    const { cpus, memoryMib } = share
    const size = ['--gres=gpu:1', `--cpus-per-task=${cpus}`, `--mem=${memoryMib}M`, '--time=10']
    const output = `--output=${join(this.directory, `${name}.out`)}`
    const args = ['--parsable', '--chdir=/', output, ...size, join(this.directory, 'job.sh')]
    const child = spawn('sbatch', args, {
      env: { ...process.env, ...this.slurm.env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`sbatch ended with ${code}`))))
    })
  }
}

/** The settings of gpuq's containers that cost time or isolate. */
function dockerArguments(directory: string): string[] {
  const { cpus, memoryMib } = share
  return [
    ...['run', '--rm', '--init', '--read-only', '--network', 'none', '--user', '200000:200000'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'],
    ...[
      '--security-opt',
      `seccomp=${join(directory, 'seccomp.json')}`,
      '--ipc',
      'private',
      '--cgroupns',
      'private',
    ],
    ...[
      '--memory',
      `${memoryMib}m`,
      '--memory-swap',
      `${memoryMib}m`,
      '--cpus',
      String(cpus),
      '--pids-limit',
      '1280',
    ],
    ...['--ulimit', 'core=0', '--ulimit', 'msgqueue=0', '--log-driver', 'local'],
    ...['--tmpfs', '/tmp:size=1g', '--tmpfs', '/work:size=1g', '--workdir', '/work'],
    ...['-v', `${join(directory, 'solution.py')}:/job/solution.py:ro`],
    ...['gpuq/python:2', 'python', '-u', '/job/solution.py'],
  ]
}
