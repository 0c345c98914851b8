import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureProgram } from './ensure-program'
import { theSystem } from './system/the-system'

export interface PythonRun {
  /** What the program has printed so far. */
  readonly out: string
  readonly err: string
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

/** Downloads the client from the server into a directory, as a user does. */
export async function downloadClient(directory: string): Promise<void> {
  const response = await fetch(`${theSystem().url}/gpuq.py`)
  if (!response.ok) throw new Error(`gpuq.py: ${response.status}`)
  await writeFile(join(directory, 'gpuq.py'), await response.text())
}

/** Starts a Python program in a directory. Only its standard library can be imported, and the files beside it. */
export async function startPython(
  directory: string,
  program: string,
  env: Record<string, string>,
): Promise<PythonRun> {
  await ensureProgram('python3', ['python3'])
  await writeFile(join(directory, 'program.py'), program)
  const { PATH = '' } = process.env
  const child = spawn('python3', ['-S', '-u', '-W', 'error', 'program.py'], {
    cwd: directory,
    env: { PATH, HOME: directory, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.err += text
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return {
    get out() {
      return seen.out
    },
    get err() {
      return seen.err
    },
    ended,
  }
}

/** Runs a Python program to its end, and returns the last line that it printed, as JSON. */
export async function runPython(
  directory: string,
  program: string,
  env: Record<string, string>,
): Promise<unknown> {
  const run = await startPython(directory, program, env)
  const code = await run.ended
  if (code !== 0) throw new Error(`The program ended with ${code}:\n${run.err}`)
  return JSON.parse(run.out.trimEnd().split('\n').at(-1) ?? '')
}
