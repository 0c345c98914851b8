import { type ChildProcess, spawn } from 'node:child_process'

interface CommandOptions {
  /** Added to the environment of this process. */
  variables: Record<string, string>
  onOutput(text: string): void
  /** Ends the command, and all that it has started in its process group. */
  signal: AbortSignal
}

/** How a command ended: with exit code 0, or with a problem in a sentence. */
type CommandEnd = { ok: true } | { ok: false; problem: string }

/** Between SIGTERM and SIGKILL. */
const graceMs = 5_000
/** A command's children may keep its pipes open for ever: what it printed itself is read by then. */
const lastWordsMs = 200

/** Runs an admin's shell command to its end. Never rejects. */
export function runShellCommand(
  command: string,
  { variables, onOutput, signal }: CommandOptions,
): Promise<CommandEnd> {
  if (signal.aborted) return Promise.resolve({ ok: false, problem: 'It was stopped.' })
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      env: { ...process.env, ...variables },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const decoder = new TextDecoder()
    const report = (piece: Buffer) =>
      onOutput(decoder.decode(piece, { stream: true }).replaceAll('\0', '\ufffd'))
    child.stdout.on('data', report)
    child.stderr.on('data', report)
    let killing: NodeJS.Timeout | undefined
    const stop = () => {
      endGroup(child, 'SIGTERM')
      killing = setTimeout(() => endGroup(child, 'SIGKILL'), graceMs)
    }
    signal.addEventListener('abort', stop, { once: true })
    const finish = (end: CommandEnd) => {
      signal.removeEventListener('abort', stop)
      clearTimeout(killing)
      const close = () => {
        child.stdout.destroy()
        child.stderr.destroy()
        resolve(end)
      }
      // A timer that is late may come before what is there to be read; this comes after it.
      setTimeout(() => setImmediate(close), lastWordsMs)
    }
    child.once('error', (error) =>
      finish({ ok: false, problem: `It could not be started: ${error.message}.` }),
    )
    child.once('exit', (code, killedBy) => finish(endOf(code, killedBy)))
  })
}

function endOf(code: number | null, killedBy: NodeJS.Signals | null): CommandEnd {
  if (code === 0) return { ok: true }
  return {
    ok: false,
    problem: code === null ? `It was ended by ${killedBy}.` : `It ended with exit code ${code}.`,
  }
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
