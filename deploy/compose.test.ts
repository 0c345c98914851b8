import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { envSchema } from '@/lib/env'
import { root } from './settings.mjs'

const serviceSchema = z.object({
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
})
const text = readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8')
const { services } = z
  .object({ services: z.record(z.string(), serviceSchema) })
  .parse(parse(text, { merge: true }))

describe('the compose file', () => {
  it('sets only variables that gpuq reads', () => {
    const known = Object.keys(envSchema.shape)
    for (const name of ['setup', 'web', 'worker']) {
      const set = Object.keys(services[name]?.environment ?? {})
      expect(set.length).toBeGreaterThan(0)
      expect(set.filter((variable) => !known.includes(variable))).toEqual([])
    }
  })

  it('gives what the first start goes by to the set-up, as it was given, and to nobody else', () => {
    const first = Object.keys(envSchema.shape).filter((name) => name.startsWith('RESEARCH_AGENT_'))
    expect(first.length).toBeGreaterThan(0)
    for (const name of first) {
      // What was not given is empty, which is the same as unset.
      expect(services.setup?.environment[name]).toBe(`\${${name}:-}`)
      expect(services.web?.environment).not.toHaveProperty(name)
      expect(services.worker?.environment).not.toHaveProperty(name)
    }
  })

  it('gives the data directory the same path inside and outside', () => {
    const dataDir = services.worker?.environment.GPUQ_DATA_DIR
    for (const name of ['web', 'worker']) {
      expect(services[name]?.volumes).toContain(`${dataDir}:${dataDir}`)
    }
  })

  it('lets only the worker and the set-up reach the engine', () => {
    const holders = Object.entries(services).filter(([, { volumes }]) =>
      volumes.join().includes('docker.sock'),
    )
    expect(holders.map(([name]) => name).sort()).toEqual(['setup', 'worker'])
  })

  it('runs programs that there are', () => {
    const bundled = readFileSync(join(root, 'deploy', 'bundle.mjs'), 'utf8')
    const paths = Object.values(services).flatMap(
      ({ command = [] }) => command.join(' ').match(/\S+\/\S+\.m?js/g) ?? [],
    )
    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) {
      const name = /^dist\/(\w+)\.js$/.exec(path)?.[1]
      expect(name ? bundled.includes(`${name}: '`) : existsSync(join(root, path)), path).toBe(true)
    }
  })
})
