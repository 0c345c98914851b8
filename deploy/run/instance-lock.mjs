/** Allows one gpuq per data directory and one program per port. Checked before any slow step begins. */
import { accessSync, constants, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivateFile } from './private-file.mjs'
import { processIdentity } from './processes.mjs'

/** How long the web server of a killed run may take to exit and release its port. */
const exitMs = 6000

/**
 * Locks the data directory for this process.
 * @param {string} dataDir
 * @param {number} port
 * @returns {{ afterCrash: boolean, release: () => void }} `afterCrash`: the previous run was killed
 */
export function lockDataDir(dataDir, port) {
  makeWritable(dataDir)
  const file = join(dataDir, 'running.json')
  const before = readHolder(file)
  const running = findHolder(dataDir)
  if (running !== null) {
    throw new Error(
      `gpuq already runs with this data directory, at http://localhost:${running.port} (process ${running.pid}).\n` +
        'Stop it with Ctrl-C, or start a second one with another PORT and GPUQ_DATA_DIR.',
    )
  }
  const holder = { pid: process.pid, identity: processIdentity(process.pid), port }
  writePrivateFile(file, `${JSON.stringify(holder)}\n`)
  return { afterCrash: before !== null, release: () => rmSync(file, { force: true }) }
}

/**
 * The running process that has locked a data directory, other than this one; null: none.
 * @param {string} dataDir
 */
export function findHolder(dataDir) {
  const holder = readHolder(join(dataDir, 'running.json'))
  const runs = holder !== null && processIdentity(holder.pid) === holder.identity
  return runs && holder.pid !== process.pid ? holder : null
}

/** @param {string} dataDir */
function makeWritable(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.W_OK)
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? cause.code : String(cause)
    throw new Error(
      `Cannot write to the data directory ${dataDir} (${why}).\nChoose another one: GPUQ_DATA_DIR=PATH npm start`,
      { cause },
    )
  }
}

/**
 * @param {string} file
 * @returns {{ pid: number, identity: string, port: number } | null}
 */
function readHolder(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/**
 * Throws an error with instructions if the port is not available.
 * @param {number} port
 * @param {string} host
 * @param {{ patient?: boolean }} [options] patient: the current owner is about to exit
 */
export async function checkPort(port, host, { patient = false } = {}) {
  const deadline = performance.now() + (patient ? exitMs : 0)
  for (;;) {
    const code = await tryPort(port, host)
    if (code === null) return
    if (code === 'EADDRINUSE' && performance.now() < deadline) {
      await sleep(200)
      continue
    }
    throw new Error(explainPort(port, host, code))
  }
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string | null>} the error's code
 */
export function tryPort(port, host) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/**
 * @param {number} port
 * @param {string} host
 * @param {string} code
 */
function explainPort(port, host, code) {
  if (code === 'EADDRINUSE') {
    return `Port ${port} is already in use. Stop the other program, or choose another port: PORT=${port + 1} npm start`
  }
  if (code === 'EACCES') return `Port ${port} requires root. Choose a port above 1023: PORT=8001 npm start`
  return `Cannot listen on ${host}, port ${port} (${code}). Check HOST and PORT.`
}
