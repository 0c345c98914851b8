import { randomInt } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { beginSummary } from './summary'

declare module 'vitest' {
  interface ProvidedContext {
    faultSeed: number
  }
}

/** Chooses the seed of a run, and says how to repeat it. */
export default async function setup(project: TestProject): Promise<void> {
  const seed = Number(process.env.GPUQ_TEST_SEED ?? randomInt(1_000_000))
  console.log(`The moments of the faults are chosen with GPUQ_TEST_SEED=${seed}.`)
  project.provide('faultSeed', seed)
  await beginSummary(seed)
}
