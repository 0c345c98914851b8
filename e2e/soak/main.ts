/**
 * `npm run soak -- --hours 8`: runs a complete gpuq under a mixed load for hours, injects one random fault per minute, and
 * checks at the end that no job was lost and nothing leaked. Writes test-results/soak.html and soak.json.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sleep } from '@/lib/async/sleep'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import { type Injected, injectFaults } from './faults'
import { checkAtRest, checkFinalStatuses } from './final-checks'
import { judge, type LeftBehind } from './judge'
import { Ledger } from './ledger'
import { prepareImports, SoakUser } from './load'
import { moveIntoPast } from './move-into-past'
import { type Sample, takeSamples } from './samples'
import { SoakSystem } from './soak-system'
import { describeMachine, writeResults } from './write-results'

const { values: options } = parseArgs({
  options: {
    hours: { type: 'string', default: '1' },
    seed: { type: 'string' },
    users: { type: 'string', default: '5' },
    'fault-seconds': { type: 'string', default: '60' },
  },
})
const hours = Number(options.hours)
const seed = Number(options.seed ?? Date.now() % 1_000_000)
if (!(hours > 0) || !Number.isInteger(seed))
  throw new Error('--hours must be a number above 0, and --seed a whole number.')
const drainMs = 15 * 60_000
const progressMs = 60_000

const say = (text: string) => process.stderr.write(`${text}\n`)
/** Aborted when nothing more is submitted. */
const load = new AbortController()
/** Aborted when nothing more is awaited. */
const drain = new AbortController()
setMaxListeners(0, load.signal, drain.signal)
endOnSignals()

say(`  Soak of ${hours} h with seed ${seed}. Repeat it with: npm run soak -- --hours ${hours} --seed ${seed}`)
const about = { date: new Date().toISOString(), machine: describeMachine(), seed }
const random = randomNumbers(seed)
const ledger = new Ledger()
const samples: Sample[] = []
const injected: Injected[] = []
const system = await SoakSystem.start()
say(`  gpuq runs: ${system.urls.join(', ')}, data in ${system.dataDir}`)

/** A failure of the soak itself ends the load, and is a problem of the result. */
const fail = (error: unknown) => {
  ledger.problem(`the soak itself failed: ${error instanceof Error ? error.stack : error}`)
  load.abort()
}
process.on('unhandledRejection', fail)

await prepareImports(system, random, ledger)
const users: SoakUser[] = []
for (let number = 1; number <= Number(options.users); number++)
  users.push(await SoakUser.create(system, `user-${number}`, random, ledger))
const { client, project } = await SoakUser.create(system, 'prober', random, ledger)

const startedAt = performance.now()
const everySeconds = Number(options['fault-seconds'])
const whileLoaded = [
  injectFaults({ system, random, ledger, client, project, injected, startedAt, everySeconds }, load.signal),
  ...users.flatMap((user) => [user.submitJobs(load.signal), user.followJobs(load.signal)]),
].map((work) => work.catch(fail))
const whileDraining = [
  takeSamples({ system, ledger, samples, startedAt }, drain.signal),
  moveIntoPast(system, ledger, drain.signal),
  ...users.map((user) => user.verifyJobs(drain.signal)),
].map((work) => work.catch(fail))

while (!load.signal.aborted) {
  const leftMs = hours * 3_600_000 - (performance.now() - startedAt)
  await sleep(Math.min(progressMs, Math.max(0, leftMs)), load.signal)
  if (leftMs <= progressMs) load.abort()
  say(`  ${toHours(elapsedSeconds())} h: ${describeProgress()}`)
  await write(false, elapsedSeconds())
}
const loadedSeconds = elapsedSeconds()
say('  The load has ended. Waiting for the end of all jobs.')
const drainedBy = performance.now() + drainMs
await Promise.race([Promise.all(whileLoaded), wait(drainMs, null, { signal: drain.signal }).catch(() => {})])
while (ledger.unverified.length > 0 && performance.now() < drainedBy) {
  if (drain.signal.aborted) break
  await sleep(500, drain.signal)
}
const atRest = drain.signal.aborted
  ? ['the run was stopped before all jobs had ended']
  : await checkAtRest(system)
const finalStatuses = await checkFinalStatuses(system, ledger).catch((error: unknown) => [String(error)])
drain.abort()
await Promise.all(whileDraining)
const { failed, page } = await write(true, loadedSeconds, {
  atRest,
  finalStatuses,
  inEngine: await system.stop(),
})
say(`  ${page}`)
for (const { name, note } of failed) say(`  ✗ ${name}: ${note}`)
process.exit(failed.length > 0 ? 1 : 0)

/** Growth is judged by the samples under load: nothing is submitted after it. */
function write(ended: boolean, seconds: number, left?: LeftBehind) {
  const unexpectedEnds = system.programs.flatMap((program) => program.unexpectedEnds)
  const loaded = samples.filter(({ at }) => at <= seconds)
  const judged = judge({ ledger, injected, samples: loaded, unexpectedEnds, left })
  return writeResults({ ...about, ...judged, ended, hours: toHours(seconds), samples, injected, ledger })
}

function describeProgress(): string {
  const verified = ledger.jobs.size - ledger.unverified.length
  return `${ledger.jobs.size} jobs accepted, ${verified} verified, ${injected.length} faults, ${ledger.problems.length} problems`
}

function elapsedSeconds(): number {
  return (performance.now() - startedAt) / 1000
}

function toHours(seconds: number): number {
  return Math.round(seconds / 36) / 100
}

function endOnSignals(): void {
  let interrupts = 0
  let last = Number.NEGATIVE_INFINITY
  const onSignal = () => {
    // Ctrl-C arrives twice: from the terminal and from the program that prepared the machine.
    if (performance.now() - last < 1_000) return
    last = performance.now()
    load.abort()
    if (++interrupts > 1) drain.abort()
    const wayOut = 'Waiting for the end of all jobs. Press Ctrl-C again to stop now.'
    say(`\n  ${interrupts > 1 ? 'Stopping.' : wayOut}`)
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onSignal)
}
