import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../run-cli'
import type { System } from '../system/start-system'
import { submitAndWatch } from './first-output'
import { type Figures, measureInTurn } from './measure'

const MiB = 1024 * 1024
/** A project: many files, 1 GiB in total. */
const project = { files: 10_000, bytes: 1024 * MiB }
/** A dataset of few large files, and one of many small files: 5 GB in total. */
const datasets = { large: { files: 50, bytes: 4_920 * MiB }, small: { files: 20_000, bytes: 80 * MiB } }

/** The limits under which such directories may be stored. */
export const directoryLimits = {
  GPUQ_MAX_ARCHIVE_MIB: '8192',
  GPUQ_STORAGE_PER_USER_GIB: '0',
  GPUQ_SNAPSHOT_CACHE_GIB: '32',
}

export interface DirectoryFigures {
  /** Milliseconds of `gpuq push`. */
  push: { first: number; unchanged: number; oneChanged: number }
  /** Milliseconds of `cp -a` and `sync` of the same directory. */
  copy: number
  /** From the request to the first line, of a job without and with the datasets. */
  start: Record<'without' | 'withDatasets', Figures>
}

/** Measures how long directories take to reach the server, and what they add to the start of a job. */
export async function benchDirectories(system: System, rounds: number): Promise<DirectoryFigures> {
  const home = await mkdtemp(join(tmpdir(), 'gpuq-bench-'))
  const push = async (directory: string, name: string) => {
    const env = { GPUQ_SERVER: system.url, GPUQ_TOKEN: system.adminToken }
    const args = ['push', directory, '--name', name, '--project', 'bench']
    const began = performance.now()
    const { code, err } = await runCli(args, { home, env })
    if (code !== 0) throw new Error(`gpuq push failed: ${err}`)
    return performance.now() - began
  }
  try {
    // The first job creates the project.
    await submitAndWatch(system)
    const directory = join(home, 'project')
    await writeFiles(directory, project)
    const first = await push(directory, 'project')
    const unchanged = await push(directory, 'project')
    await writeFile(join(directory, 'part-3', 'file-3'), randomBytes(MiB))
    const oneChanged = await push(directory, 'project')
    const copy = await copyDirectory(directory, join(home, 'copy'))
    await rm(directory, { recursive: true })
    for (const [name, size] of Object.entries(datasets)) {
      await writeFiles(join(home, name), size)
      await push(join(home, name), name)
      await rm(join(home, name), { recursive: true })
    }
    const mounts = 'mounts:\n  /large: large\n  /small: small\n'
    // The node transfers them for the first job.
    await submitAndWatch(system, mounts)
    const start = await measureInTurn(rounds, {
      without: () => submitAndWatch(system),
      withDatasets: () => submitAndWatch(system, mounts),
    })
    return { push: { first, unchanged, oneChanged }, copy, start }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Writes files of random bytes, 100 in a directory. */
async function writeFiles(root: string, { files, bytes }: { files: number; bytes: number }): Promise<void> {
  const size = Math.floor(bytes / files)
  for (let index = 0; index < files; index++) {
    const directory = join(root, `part-${index % Math.ceil(files / 100)}`)
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, `file-${index}`), randomBytes(size))
  }
}

async function copyDirectory(from: string, to: string): Promise<number> {
  const began = performance.now()
  await run('cp', ['-a', from, to])
  await run('sync', ['-f', to])
  const took = performance.now() - began
  await rm(to, { recursive: true })
  return took
}

function run(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`)),
    )
  })
}
