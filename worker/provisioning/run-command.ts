import { type ChildProcess, spawn } from 'node:child_process'

interface CommandOptions {
  /** Added to the environment of this process. */
  variables: Record<string, string>
  onOutput(text: string): void
  /** Kills the command and its process group. */
  signal: AbortSignal
}

/** The end of a command: exit code 0, or a problem as a sentence. */
type CommandEnd = { ok: true } | { ok: false; problem: string }

/** Time between SIGTERM and SIGKILL. */
const graceMs = 5_000
/** Children of a command may keep its pipes open forever; its own output has been read by then. */
const drainMs = 200

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
      // A late timer may run before pending reads; setImmediate runs after them.
      setTimeout(() => setImmediate(close), drainMs)
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
    problem: code === null ? `It was killed by ${killedBy}.` : `It ended with exit code ${code}.`,
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
