import { expect, inject } from 'vitest'
import type { Lab } from '../testing/lab'
import { it, type LabFixtures } from '../testing/lab-test'
import { expectAllTrue, filesWith } from '../testing/truth'
import { Watch } from '../testing/watch'
import { Moment } from './moment'
import { addRow } from './summary'

/** How often each fault is tried. */
const allMoments = Number(process.env.GPUQ_FAULT_MOMENTS ?? 20)
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
    const total = numbers.length
    const failures: string[] = []
    const labs = new Set<Lab>()
    let longestMs = 0

    const tryAll = async () => {
      let place: Place | undefined
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        const moment = new Moment(seed, fault.name, number)
        try {
          place ??= await fault.open({ openLab, startEngine })
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
    await Promise.all(Array.from({ length: Math.min(fault.places, total) }, tryAll))
    await addRow({
      name: fault.name,
      moments: total,
      passed: total - failures.length,
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
