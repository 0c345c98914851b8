import { expect, it } from 'vitest'
import { EngineOutages } from './engine-outages'

it('affects what runs during an outage or starts shortly after it', () => {
  let now = 100_000
  const outages = new EngineOutages(() => now)
  expect(outages.affected(0)).toBe(false)
  outages.note()
  now = 500_000
  expect(outages.affected(90_000), 'started before').toBe(true)
  expect(outages.affected(129_000), 'started while the engine was starting').toBe(true)
  expect(outages.affected(131_000), 'started later').toBe(false)
})
