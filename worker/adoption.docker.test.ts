import { describe } from 'vitest'
import { expectAdopted, expectNothingLost } from './testing/adoption'
import { it } from './testing/lab-test'

// adoption.db.test.ts tries every step, without containers.
describe('a worker killed and started again', () => {
  it.concurrent('a worker killed and started again twice continues the same process, without missing or repeated lines', async ({
    openLab,
  }) => {
    await expectAdopted(await openLab(), 2)
  })

  const steps = [
    ['started, before it heard of it', /POST \S*\/containers\/\w+\/start/, 'after'],
    ['exited, before it heard of it', /POST \S*\/containers\/\w+\/wait\?condition=not-running/, 'after'],
  ] as const

  it.concurrent.for(steps)(
    'when its task was %s, loses nothing',
    async ([, request, step], { openGatedLab }) => {
      const { lab, gate, worker } = await openGatedLab({ maxOutputMib: 4 })
      await expectNothingLost(lab, worker, gate.hold(request, step))
    },
  )
})
