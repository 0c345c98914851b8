/**
 * Records in the data directory that gpuq started an engine. The record survives a kill, so that the next run
 * can stop the engine.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../run/private-file.mjs'
import { processIdentity } from '../run/processes.mjs'

/**
 * @typedef {{ pid: number, identity: string }} Known a process, and what tells it from a later namesake
 * @typedef {Known & { host: string, owner: Known }} EngineRecord
 */

const recordFile = (/** @type {string} */ dataDir) => join(dataDir, 'engine.json')

/** @returns {Known} */
export function thisProcess() {
  return { pid: process.pid, identity: processIdentity(process.pid) ?? '' }
}

/** @param {Known} known */
export function isAlive({ pid, identity }) {
  return processIdentity(pid) === identity
}

/**
 * Whether this process may stop an engine: it owns it, or the owner was killed. Tests that use the data
 * directory of a running gpuq must not stop its engine.
 * @param {Known} owner
 */
export function mayOwn(owner) {
  return owner.pid === process.pid || !isAlive(owner)
}

/**
 * @param {string} dataDir
 * @returns {EngineRecord | null}
 */
export function readRecord(dataDir) {
  try {
    return JSON.parse(readFileSync(recordFile(dataDir), 'utf8'))
  } catch {
    return null
  }
}

/**
 * @param {string} dataDir
 * @param {EngineRecord} record
 */
export function writeRecord(dataDir, record) {
  writePrivateFile(recordFile(dataDir), `${JSON.stringify(record)}\n`)
}

/** @param {string} dataDir */
export function dropRecord(dataDir) {
  rmSync(recordFile(dataDir), { force: true })
}
