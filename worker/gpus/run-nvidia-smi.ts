import { type ChildProcess, execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { withTimeout } from '@/lib/async/sleep'
import { errorCode } from '@/lib/contract/error-code'

/** `absent`: the program does not exist, so there is no driver. `silent`: it hangs. `failed`: it reports an error. */
type NvidiaSmiFaultCode = 'absent' | 'silent' | 'failed'

export class NvidiaSmiFault extends Error {
  constructor(
    readonly code: NvidiaSmiFaultCode,
    message: string,
  ) {
    // Messages become part of sentences, so a final full stop is removed.
    super(message.replace(/\.+$/, ''))
    this.name = 'NvidiaSmiFault'
  }
}

export interface NvidiaSmiAnswer {
  stdout: string
  /** Its error message if it ended with an error. It may still have reported other GPUs. */
  errorMessage: string | null
}

/** Time for SIGKILL. A process that still runs afterwards hangs in the driver. */
const killTimeoutMs = 1_000
/** A process that cannot be killed. Any further one would hang as well. */
let hangingProcess: ChildProcess | undefined

/**
 * Runs nvidia-smi. A broken driver can make it hang so that not even SIGKILL ends it. Therefore it waits at most
 * `timeoutMs`, and starts no other one while one hangs.
 * @throws {NvidiaSmiFault} if it is absent or silent.
 */
export async function runNvidiaSmi(args: string[], timeoutMs: number): Promise<NvidiaSmiAnswer> {
  if (hangingProcess && !hasEnded(hangingProcess))
    throw new NvidiaSmiFault('silent', 'an earlier process hangs in the driver and cannot be killed')
  const { child, answer } = start(args)
  const first = await withTimeout(answer, timeoutMs, () => null)
  if (first) return first
  child.kill('SIGKILL')
  child.unref()
  await withTimeout(
    answer.catch(() => {}),
    killTimeoutMs,
    () => {},
  )
  if (!hasEnded(child)) hangingProcess = child
  throw new NvidiaSmiFault('silent', `no answer within ${timeoutMs / 1000} s`)
}

function start(args: string[]): { child: ChildProcess; answer: Promise<NvidiaSmiAnswer> } {
  let child: ChildProcess | undefined
  const answer = new Promise<NvidiaSmiAnswer>((resolve, reject) => {
    child = execFile('nvidia-smi', args, (error, stdout, stderr) => {
      if (isMissing(errorCode(error))) reject(new NvidiaSmiFault('absent', 'nvidia-smi is not installed'))
      // Errors appear on standard output as often as on standard error.
      else resolve({ stdout, errorMessage: error && firstLine(stderr, stdout, error.message) })
    })
  })
  answer.catch(() => {})
  if (!child) throw new Error('nvidia-smi was not started.')
  return { child, answer }
}

/** Whether the program does not exist. A directory of PATH that this user may not enter makes EACCES of that. */
function isMissing(code: string | undefined): boolean {
  if (code !== 'EACCES') return code === 'ENOENT'
  return !(process.env.PATH ?? '').split(delimiter).some((directory) => isFile(join(directory, 'nvidia-smi')))
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function firstLine(...texts: string[]): string {
  const said = texts.map((text) => text.trim()).find((text) => text !== '') ?? 'it ended with an error'
  return said.split('\n')[0] ?? said
}
