import { type ChildProcess, execFile } from 'node:child_process'
import { withTimeout } from '@/lib/async/sleep'

/** `absent`: there is no such program, so no driver. `silent`: it hangs. `failed`: it says that something is wrong. */
type NvidiaSmiFaultCode = 'absent' | 'silent' | 'failed'

export class NvidiaSmiFault extends Error {
  constructor(
    readonly code: NvidiaSmiFaultCode,
    message: string,
  ) {
    // It goes into sentences; what the program says is one already.
    super(message.replace(/\.+$/, ''))
    this.name = 'NvidiaSmiFault'
  }
}

export interface NvidiaSmiAnswer {
  stdout: string
  /** What it complained of, when it ended with an error: it may have told of the other GPUs all the same. */
  complaint: string | null
}

/** SIGKILL takes a moment; what has not ended by then hangs in the driver. */
const killPatienceMs = 1_000
/** One that nothing ends. Each more would hang as well, for ever. */
let stuck: ChildProcess | undefined

/**
 * Runs nvidia-smi. It can hang on a broken driver, so that not even SIGKILL ends it: it is not waited for any longer
 * than `patienceMs`, and not run again while one hangs.
 * @throws {NvidiaSmiFault} when it is absent or silent.
 */
export async function runNvidiaSmi(args: string[], patienceMs: number): Promise<NvidiaSmiAnswer> {
  if (stuck && !hasEnded(stuck))
    throw new NvidiaSmiFault('silent', 'an earlier one hangs in the driver and cannot be killed')
  const { child, answer } = start(args)
  const first = await withTimeout(answer, patienceMs, () => null)
  if (first) return first
  child.kill('SIGKILL')
  child.unref()
  await withTimeout(
    answer.catch(() => {}),
    killPatienceMs,
    () => {},
  )
  if (!hasEnded(child)) stuck = child
  throw new NvidiaSmiFault('silent', `no answer within ${patienceMs / 1000} s`)
}

function start(args: string[]): { child: ChildProcess; answer: Promise<NvidiaSmiAnswer> } {
  let child: ChildProcess | undefined
  const answer = new Promise<NvidiaSmiAnswer>((resolve, reject) => {
    child = execFile('nvidia-smi', args, (error, stdout, stderr) => {
      if (error && 'code' in error && error.code === 'ENOENT')
        reject(new NvidiaSmiFault('absent', 'there is no nvidia-smi'))
      // It says what is wrong on standard output as often as on standard error.
      else resolve({ stdout, complaint: error && firstLine(stderr, stdout, error.message) })
    })
  })
  answer.catch(() => {})
  if (!child) throw new Error('nvidia-smi was not started')
  return { child, answer }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function firstLine(...texts: string[]): string {
  const said = texts.map((text) => text.trim()).find((text) => text !== '') ?? 'it ended with an error'
  return said.split('\n')[0] ?? said
}
