import { Command } from 'commander'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { addConfigOptions } from '@/cli/declare/command'
import { configOptions } from '@/cli/declare/config-options'
import { toModelSchema } from '@/lib/agents/model-schema'
import { offeredKeys } from '@/lib/contract/config/offered-keys'
import { offers } from '@/lib/contract/config/offers'
import { configSchema, key } from '@/lib/contract/config/schema'
import { count } from '@/lib/contract/config/values'
import { describeOptions } from './describe-options'

it('has the current keys in the options of the command line; if not: npm run docs', () => {
  expect(configOptions).toEqual(describeOptions())
})

it('offers a new key of the config to the queue API, the tools for agents and the command line', () => {
  const description = 'how much the CPU priority is lowered'
  const shape = { ...configSchema.shape, nice: key(count(0, 19).default(0), description, 5) }
  for (const way of ['queue', 'agent'] as const) {
    const offered = z.strictObject(offeredKeys(shape, offers, way))
    expect(offered.parse({ nice: 5 })).toEqual({ nice: 5 })
    expect(offered.parse({})).toEqual({})
    expect(() => offered.parse({ nice: 20 })).toThrow('must be at most 19')
    expect(toModelSchema(offered, 'input').properties).toMatchObject({
      nice: { type: 'integer', minimum: 0, maximum: 19, description },
    })
  }
  for (const name of ['submit', 'run'] as const) {
    const command = new Command(name)
    addConfigOptions(command, name, describeOptions(shape))
    expect(command.helpInformation().replace(/\s+/g, ' ')).toContain(`--nice <number> ${description}`)
    expect(command.parse(['--nice', '5'], { from: 'user' }).opts()).toEqual({ nice: 5 })
  }
})

it('knows only keys of the config, and offers agents what the queue API can take', () => {
  expect(Object.keys(configSchema.shape)).toEqual(expect.arrayContaining(Object.keys(offers)))
  const queue = offeredKeys(configSchema.shape, offers, 'queue')
  // The tools send the expected time under the name that the queue API has for it.
  const { expected_time: _, ...agent } = offeredKeys(configSchema.shape, offers, 'agent')
  expect(Object.keys(queue)).toEqual(expect.arrayContaining(Object.keys(agent)))
})
