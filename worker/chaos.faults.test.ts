import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import { expectNothingLost, isServing, killWorker, pauseWorker } from './testing/chaos'
import { it } from './testing/lab-test'

const seed = Number(process.env.GPUQ_TEST_SEED ?? Date.now() % 1_000_000)
const forMs = 20_000
const mostJobs = 40

it(`workers killed, stopped and cut off from their engine at random (GPUQ_TEST_SEED=${seed}) lose nothing`, async ({
  openLab,
}) => {
  const random = randomNumbers(seed)
  const upTo = (most: number) => Math.floor(random() * most)
  const lab = await openLab()
  await expectNothingLost(lab, async (places, submit) => {
    const ending = performance.now() + forMs
    for (let jobs = 0; performance.now() < ending; jobs++) {
      if (jobs < mostJobs) await submit()
      const place = places[upTo(places.length)]
      if (!place) continue
      const fault = upTo(4)
      if (fault === 0 && (await isServing(lab, place))) await killWorker(place, upTo(1_000))
      else if (fault === 1) await pauseWorker(place, upTo(2_000))
      else if (fault === 2) place.gate.breakAll()
      await sleep(upTo(600))
    }
  })
})
