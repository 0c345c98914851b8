import { expect, inject } from 'vitest'
import type { Lab } from '../testing/lab'
import { it, type LabFixtures } from '../testing/lab-test'
import { expectAllTrue, filesWith } from '../testing/truth'
import { Watch } from '../testing/watch'
import { Moment } from './moment'
import { addRow } from './summary'

/** How often each fault is tried. */
const allMoments = Number(process.env.GPUQ_FAULT_MOMENTS ?? 20)
/** How many warm containers a worker may keep in the moments with warm containers. */
const warmContainerLimit = 4
/** The only moment to try; empty: all. */
const only = process.env.GPUQ_FAULT_MOMENT

export interface Fault<Place extends { lab: Lab }> {
  name: string
  /** What is checked besides the invariants of every fault. */
  checked: string
  /** What the summary says about the fault: for example where it stands for a larger one. */
  note?: string
  /** Moments that are tried at the same time, each in a lab of its own. */
  places: number
  /** In which moments the workers keep warm containers. Left out: in half of them. */
  warm?: 'never' | 'always'
  /** May a job's earlier container still run beside the new one? True if nobody can stop it, as in a stopped worker. */
  overlaps?: boolean
  open: (fixtures: Pick<LabFixtures, 'openLab' | 'startEngine'>) => Promise<Place>
  /** Lets the fault happen at a random moment, and checks what may follow. */
  happen: (place: Place, moment: Moment) => Promise<void>
}

/** Declares the test of one fault: it happens at random moments, and after each all invariants are checked. */
export function testFault<Place extends { lab: Lab }>(fault: Fault<Place>): void {
  it(fault.name, async ({ openLab, startEngine }) => {
    const seed = inject('faultSeed')
    const numbers =
      only === undefined ? Array.from({ length: allMoments }, (_, number) => number) : [Number(only)]
    const failures: string[] = []
    const labs = new Set<Lab>()
    let longestMs = 0

    const tryAll = async (own: number[], warmContainers: number) => {
      let place: Place | undefined
      for (let number = own.shift(); number !== undefined; number = own.shift()) {
        const moment = new Moment(seed, fault.name, number)
        try {
          place ??= await fault.open({
            openLab: (options) => openLab({ warmContainers, ...options }),
            startEngine,
          })
          labs.add(place.lab)
          await tryOnce(fault, place, moment)
          longestMs = Math.max(longestMs, moment.recoveryMs)
        } catch (error) {
          const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
          failures.push(`Moment ${number} (${repeatWith(seed, number)}): ${text}`)
          // The other moments may take an hour.
          console.error(`${fault.name}: ${failures.at(-1)}`)
          // What the failure left must not fail the moments after it.
          await Promise.all(place?.lab.workers.map((worker) => worker.kill()) ?? [])
          place = undefined
        }
      }
    }
    // Faults have variants for even and for odd moments, so each variant has both kinds.
    const isWarm = (number: number) => fault.warm === 'always' || (fault.warm !== 'never' && number % 4 >= 2)
    const warm = numbers.filter(isWarm)
    const cold = numbers.filter((number) => !isWarm(number))
    const atOnce = fault.warm === undefined ? Math.ceil(fault.places / 2) : fault.places
    await Promise.all(
      Array.from({ length: atOnce }, () => [tryAll(cold, 0), tryAll(warm, warmContainerLimit)]).flat(),
    )
    await addRow({
      name: fault.name,
      moments: numbers.length,
      passed: numbers.length - failures.length,
      longestRecoveryMs: longestMs,
      checked: fault.checked,
      ...(fault.note === undefined ? {} : { note: fault.note }),
    })
    // The databases of all labs are on this disk, with their logs.
    const tokens = [...labs].flatMap((lab) => lab.tokens)
    if (tokens.length > 0) expect(await filesWith(tokens, inject('postgresDirectory'))).toEqual([])
    if (failures.length > 0) throw new Error(failures.join('\n\n'))
  })
}

async function tryOnce<Place extends { lab: Lab }>(
  { overlaps = false, happen }: Fault<Place>,
  place: Place,
  moment: Moment,
): Promise<void> {
  const { lab } = place
  const watch = new Watch(lab)
  await happen(place, moment).finally(() => watch.stop().catch(() => {}))
  const { jobsTwice, gpusTwice, falseBooks } = await watch.stop()
  expect({ gpusTwice, falseBooks, jobsTwice: overlaps ? [] : jobsTwice }).toEqual({
    gpusTwice: [],
    falseBooks: [],
    jobsTwice: [],
  })
  await expectAllTrue(lab)
}

const repeatWith = (seed: number, number: number) =>
  `repeat it with GPUQ_TEST_SEED=${seed} GPUQ_FAULT_MOMENT=${number}`
