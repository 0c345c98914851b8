/** Runs other programs with progress and cancellation, and identifies processes across restarts. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const keptLines = 30
/** How long a program may take to end before it is killed. */
const killAfterMs = 10_000

/** A program failed. The message contains the last lines of its output. */
export class CommandFailed extends Error {
  /**
   * @param {string} command
   * @param {string} how
   * @param {string[]} tail
   */
  constructor(command, how, tail) {
    super([`${command} ${how}.`, ...tail].join('\n'))
    this.name = 'CommandFailed'
    this.tail = tail
  }
}

/**
 * Calls `onLine` for each line of a stream. A carriage return also ends a line, because progress bars use it.
 * @param {NodeJS.ReadableStream} stream
 * @param {(line: string) => void} onLine
 */
export function readLines(stream, onLine) {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (/** @type {string} */ text) => {
    const lines = (rest + text).split(/\r\n|\r|\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim()) onLine(line)
  })
  stream.on('end', () => {
    if (rest.trim()) onLine(rest)
  })
}

/**
 * Runs a program to its end. If it fails, the error contains the last lines of its output. The program has its own
 * session: the terminal's Ctrl-C reaches it only through `signal`, which stops the whole process group. npm would
 * stop only its shell.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options]
 * @param {string} [options.label] the name of the program in the error
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(line: string) => void} [options.onLine]
 * @param {AbortSignal} [options.signal] stops the program and its children
 * @returns {Promise<void>}
 */
export function runCommand(command, args, { label = command, cwd, env, onLine, signal } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    /** @type {string[]} */
    const tail = []
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const take = (/** @type {string} */ line) => {
      tail.push(line)
      if (tail.length > keptLines) tail.shift()
      onLine?.(line)
    }
    readLines(child.stdout, take)
    readLines(child.stderr, take)
    const stop = () => {
      const end = (/** @type {NodeJS.Signals} */ name) => child.pid && killGroup(child.pid, name)
      end('SIGTERM')
      const killing = setTimeout(() => end('SIGKILL'), killAfterMs)
      child.once('close', () => clearTimeout(killing))
    }
    signal?.addEventListener('abort', stop, { once: true })
    child.on('error', (error) => reject(new CommandFailed(label, `could not start: ${error.message}`, [])))
    child.on('close', (code, killed) => {
      signal?.removeEventListener('abort', stop)
      if (signal?.aborted) reject(signal.reason)
      else if (code === 0) resolve()
      else
        reject(
          new CommandFailed(label, killed ? `was terminated by ${killed}` : `exited with code ${code}`, tail),
        )
    })
  })
}

/**
 * @param {number} leader
 * @param {NodeJS.Signals} name
 */
export function killGroup(leader, name) {
  send(-leader, name)
}

/**
 * @param {number} target a process, or a group as a negative number
 * @param {NodeJS.Signals} name
 */
function send(target, name) {
  try {
    process.kill(target, name)
  } catch (error) {
    // It has already ended.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}

/**
 * Identifies a process, because process numbers are reused: the boot id and the start time. Null if there is
 * no such process, or outside Linux.
 * @param {number} pid
 */
export function processIdentity(pid) {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may contain anything, so start after its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return null
    return `${boot}/${fields[19]}`
  } catch {
    return null
  }
}

/**
 * Ends a process that may not be a child: SIGTERM, then SIGKILL after `graceMs`.
 * @param {number} pid
 * @param {string} identity from {@link processIdentity}; another process with the same number is not touched
 * @param {number} graceMs
 */
export async function endProcess(pid, identity, graceMs) {
  const isRunning = () => processIdentity(pid) === identity
  if (!isRunning()) return
  send(pid, 'SIGTERM')
  const deadline = performance.now() + graceMs
  while (isRunning() && performance.now() < deadline) await sleep(50)
  if (isRunning()) send(pid, 'SIGKILL')
  while (isRunning()) await sleep(20)
}

/**
 * The processes that belong to a directory, newest first: its path is in their command line or environment,
 * or is their working or root directory. Empty outside Linux.
 * @param {string} directory
 * @returns {{ pid: number, identity: string }[]}
 */
export function processesOf(directory) {
  const found = listProcesses().flatMap((pid) => {
    const identity = processIdentity(pid)
    return identity !== null && pid !== process.pid && belongsTo(pid, directory) ? [{ pid, identity }] : []
  })
  const startedAt = (/** @type {string} */ identity) => Number(identity.split('/')[1])
  return found.sort((a, b) => startedAt(b.identity) - startedAt(a.identity) || b.pid - a.pid)
}

function listProcesses() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/**
 * @param {number} pid
 * @param {string} directory
 */
function belongsTo(pid, directory) {
  const read = (/** @type {() => string} */ look) => {
    try {
      return look()
    } catch {
      // It has ended, or belongs to another user.
      return ''
    }
  }
  const file = (/** @type {string} */ name) => read(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
  const root =
    file('mountinfo')
      .split('\n')
      .find((line) => line.split(' ')[4] === '/') ?? ''
  const cwd = read(() => readlinkSync(`/proc/${pid}/cwd`))
  const texts = [file('cmdline'), file('environ'), `${cwd}/`, root]
  return texts.some((text) => text.includes(`${directory}/`) || text.includes(`${directory}\0`))
}
