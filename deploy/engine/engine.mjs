/**
 * Makes sure that a Docker engine is running: uses an existing one, or installs and starts one if permitted.
 * It uses only Node, because it runs before any package is installed.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, processIdentity, runCommand } from '../run/processes.mjs'
import { findProgram, installPackages, mayInstall, readOsRelease } from './debian.mjs'
import { createEngineClient } from './docker-api.mjs'
import { dockerdArguments, readEngineFiles } from './dockerd-arguments.mjs'
import { chooseEngine, defaultHost } from './engine-choice.mjs'
import { dropRecord, isAlive, mayOwn, readRecord, thisProcess, writeRecord } from './engine-record.mjs'

const probeMs = 5000
const startMs = 60_000
const stopGraceMs = 30_000

/**
 * @typedef {object} Engine
 * @property {string} host as in DOCKER_HOST
 * @property {string} version
 * @property {boolean} ours whether this run started it, or an earlier one that was killed
 * @property {(options?: { keepJobs?: boolean }) => Promise<string | null>} stop stops it if it is ours; returns a sentence if it must keep running
 */

/**
 * @param {string} host
 * @returns {Promise<import('./engine-choice.mjs').Probe>}
 */
export async function probeEngine(host) {
  try {
    const { Version } = await createEngineClient(host).call('GET', '/version', { idleMs: probeMs })
    return { host, state: 'answers', version: Version }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { host, state: 'absent' }
    return { host, state: code === 'EACCES' ? 'denied' : 'silent' }
  }
}

/** The usual sockets without a DOCKER_HOST: the system's, a rootless engine's, Docker Desktop's. */
function usualHosts() {
  const runtime = process.env.XDG_RUNTIME_DIR
  return [
    defaultHost,
    ...(runtime ? [`unix://${join(runtime, 'docker.sock')}`] : []),
    `unix://${join(homedir(), '.docker/run/docker.sock')}`,
    ...(process.platform === 'win32' ? ['npipe:////./pipe/docker_engine'] : []),
  ]
}

/**
 * @param {string | undefined} dockerHost
 * @returns {Promise<import('./engine-choice.mjs').Facts>}
 */
async function gatherFacts(dockerHost) {
  const hosts = dockerHost ? [dockerHost] : usualHosts()
  return {
    platform: process.platform,
    root: process.getuid?.() === 0,
    dockerHost,
    probes: await Promise.all(hosts.map(probeEngine)),
    osRelease: readOsRelease(),
    systemd: existsSync('/run/systemd/system'),
    missing: ['dockerd', 'iptables'].filter((name) => !findProgram(name)),
  }
}

/** What {@link ensureEngine} would do first. */
export async function planEngine(dockerHost = process.env.DOCKER_HOST || undefined) {
  return chooseEngine(await gatherFacts(dockerHost))
}

/**
 * @param {object} options
 * @param {string} options.dataDir where the engine's log and record are kept
 * @param {(note: string) => void} options.progress
 * @param {string} [options.dockerHost]
 * @param {string} [options.dockerdArgs] more arguments for a dockerd that is started here, separated by spaces
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<Engine>}
 */
export async function ensureEngine({
  dataDir,
  progress,
  dockerHost = process.env.DOCKER_HOST || undefined,
  dockerdArgs = process.env.GPUQ_DOCKERD_ARGS ?? '',
  signal,
}) {
  let choice = await planEngine(dockerHost)
  if (choice.action === 'start' && choice.install && mayInstall()) {
    await installPackages(['docker.io', 'iptables'], progress)
    // On most systems the package starts the engine itself.
    choice = await planEngine(dockerHost)
  }
  if (choice.action === 'refuse') throw new Error(choice.message)
  if (choice.action === 'use') return describeEngine(choice.host, choice.version, dataDir)
  if (choice.service) return startService(choice.host, dataDir, progress)
  signal?.throwIfAborted()
  progress('starting dockerd')
  return startDaemon(choice.host, dockerdArgs.split(/\s+/).filter(Boolean), dataDir, signal)
}

/**
 * @param {string} host
 * @param {string} version
 * @param {string} dataDir
 * @returns {Engine}
 */
function describeEngine(host, version, dataDir) {
  const record = readRecord(dataDir)
  const ours = record !== null && record.host === host && isAlive(record) && mayOwn(record.owner)
  if (ours) writeRecord(dataDir, { ...record, owner: thisProcess() })
  return {
    host,
    version,
    ours,
    stop: async (options) => (ours && record ? stopDaemon(record, dataDir, options) : null),
  }
}

/**
 * Starts the system's service. It is meant to run permanently, so gpuq does not stop it.
 * @param {string} host
 * @param {string} dataDir
 * @param {(note: string) => void} progress
 */
async function startService(host, dataDir, progress) {
  progress('starting the docker service')
  await runCommand('systemctl', ['start', 'docker.service'])
  const probe = await probeEngine(host)
  if (probe.state !== 'answers') {
    throw new Error('The docker service was started but does not answer. Check its log: journalctl -u docker')
  }
  return describeEngine(host, probe.version ?? '', dataDir)
}

/**
 * @param {string} host
 * @param {string[]} args
 * @param {string} dataDir
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Engine>}
 */
async function startDaemon(host, args, dataDir, signal) {
  await dropStalePidFile(host, args)
  const logFile = join(dataDir, 'logs', 'dockerd.log')
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const log = openSync(logFile, 'w', 0o640)
  const child = spawn(
    findProgram('dockerd') ?? 'dockerd',
    dockerdArguments(host, args, readEngineFiles(args)),
    {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` },
    },
  )
  closeSync(log)
  let ended = false
  child.on('error', () => {
    ended = true
  })
  child.on('exit', () => {
    ended = true
  })
  child.unref()
  const pid = child.pid ?? 0
  const record = { pid, identity: processIdentity(pid) ?? '', host, owner: thisProcess() }
  writeRecord(dataDir, record)
  const deadline = performance.now() + startMs
  while (performance.now() < deadline && !signal?.aborted) {
    const probe = await probeEngine(host)
    // Another program may have started an engine at the same time. Then our dockerd exits, and we use the
    // other one.
    if (probe.state === 'answers') return describeEngine(host, probe.version ?? '', dataDir)
    if (ended) break
    await sleep(100)
  }
  await endProcess(pid, record.identity, stopGraceMs)
  dropRecord(dataDir)
  signal?.throwIfAborted()
  throw new Error(explainFailure(logFile, ended))
}

/**
 * @param {string} logFile
 * @param {boolean} ended
 */
function explainFailure(logFile, ended) {
  const tail = readFileSync(logFile, 'utf8').trim().split('\n').slice(-6)
  const what = ended ? 'exited' : `did not answer within ${startMs / 1000} s`
  return [
    `The Docker engine was started but ${what}. The last lines of ${logFile}:`,
    ...tail.map((line) => `  ${line}`),
    'In a container or a small virtual machine, dockerd needs full privileges and mounted cgroups.',
  ].join('\n')
}

/**
 * Removes dockerd's pid file after a crash. dockerd refuses to start if any process has the number in it. If
 * a dockerd that is stopping still has that number, wait for its end, unless it answers.
 * @param {string} host
 * @param {string[]} args
 */
async function dropStalePidFile(host, args) {
  const given = args.find((arg) => arg.startsWith('--pidfile='))
  const file = given?.slice('--pidfile='.length) ?? '/var/run/docker.pid'
  for (let waited = 0; existsSync(file) && waited < stopGraceMs; waited += 200) {
    if (!isDockerd(Number(readFileSync(file, 'utf8')))) return rmSync(file, { force: true })
    await sleep(200)
    if ((await probeEngine(host)).state === 'answers') return
  }
}

/** @param {number} pid */
function isDockerd(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'dockerd\n'
  } catch {
    return false
  }
}

/**
 * Stops the engine, and the jobs' containers that a killed worker left: with live-restore they would continue
 * without an engine.
 * @param {import('./engine-record.mjs').EngineRecord} record
 * @param {string} dataDir
 * @param {{ keepJobs?: boolean }} [options] keepJobs: running jobs go on
 */
async function stopDaemon(record, dataDir, { keepJobs = false } = {}) {
  const client = createEngineClient(record.host)
  /** @type {{ Id: string, Labels: Record<string, string> }[]} */
  const running = await client.call('GET', '/containers/json', { idleMs: probeMs }).catch(() => [])
  const foreign = running.filter(({ Labels }) => !Labels['gpuq.node']).length
  if (foreign > 0) {
    const whose = foreign === 1 ? '1 container' : `${foreign} containers`
    return `The Docker engine keeps running (process ${record.pid}): it runs ${whose} that gpuq did not create.`
  }
  if (keepJobs && running.length > 0)
    return `The Docker engine keeps running (process ${record.pid}), because jobs go on in it.`
  // A container that has just ended is an error of the request only.
  const kill = (/** @type {string} */ id) => client.call('POST', `/containers/${id}/kill`).catch(() => {})
  await Promise.all(running.map(({ Id }) => kill(Id)))
  await endProcess(record.pid, record.identity, stopGraceMs)
  dropRecord(dataDir)
  return null
}
