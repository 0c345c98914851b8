import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { leaseTimes } from '@/lib/cluster/nodes/lease-times'
import { envSchema } from '@/lib/env'
import { root } from '../run/settings.mjs'

const serviceSchema = z.object({
  image: z.string().optional(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  pull_policy: z.string().optional(),
  restart: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  network_mode: z.string().optional(),
  gpus: z.never().optional(),
  logging: z.object({ options: z.object({ 'max-size': z.string() }) }).optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
})
const read = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8')
const servicesOf = (name: string) =>
  z.object({ services: z.record(z.string(), serviceSchema) }).parse(parse(read(name), { merge: true }))
    .services
const services = servicesOf('compose.yaml')
const node = servicesOf('compose.node.yaml')
const known = Object.keys(envSchema.shape)

/**
 * Told by the file itself: the address inside the container, and the one job of a node that was made for it. Never told:
 * that jobs may use directories of the host, because this deployment has several users, that they outlive gpuq, which
 * needs the embedded database, and the token of a port that only `npm start` serves.
 */
const notGiven = [
  'HOST',
  'PORT',
  'GPUQ_NODE_FOR_JOB',
  'GPUQ_HOST_FILES',
  'GPUQ_KEEP_JOBS',
  'RESEARCH_AGENT_USER_AUTH_TOKEN',
]

describe('the compose file', () => {
  it('sets only variables that gpuq reads', () => {
    for (const service of [services.setup, services.web, services.worker, node.worker]) {
      const set = Object.keys(service?.environment ?? {})
      expect(set.length).toBeGreaterThan(0)
      expect(set.filter((variable) => !known.includes(variable))).toEqual([])
    }
  })

  it('hands on every variable that gpuq reads, so that all of them can stand in deploy/.env', () => {
    // The set-up is told all of them: what is wrong is said there, before web and worker start.
    const told = Object.keys(services.setup?.environment ?? {})
    expect(known.filter((name) => !told.includes(name)).toSorted()).toEqual(notGiven.toSorted())
    for (const service of [services.setup, services.web, services.worker, node.worker]) {
      for (const [name, value] of Object.entries(service?.environment ?? {})) {
        if (name !== 'DATABASE_URL') expect(value).toMatch(new RegExp(`^\\$\\{${name}:[-?]`))
      }
    }
  })

  it('gives what the first start goes by to the set-up, as it was given, and to nobody else', () => {
    const first = known.filter(
      (name) => /^(RESEARCH_AGENT|GPUQ_ADMIN)_/.test(name) && !notGiven.includes(name),
    )
    expect(first.length).toBeGreaterThan(4)
    for (const name of first) {
      // What was not given is empty, which is the same as unset.
      expect(services.setup?.environment[name]).toBe(`\${${name}:-}`)
      expect(services.web?.environment).not.toHaveProperty(name)
      expect(services.worker?.environment).not.toHaveProperty(name)
    }
  })

  it('gives the data directory the same path inside and outside', () => {
    const dataDir = services.worker?.environment.GPUQ_DATA_DIR
    for (const service of [services.web, services.worker, node.worker]) {
      expect(service?.volumes).toContain(`${dataDir}:${dataDir}`)
    }
  })

  it('lets only the worker and the set-up reach the engine', () => {
    const holders = (all: typeof services) =>
      Object.entries(all)
        .filter(([, { volumes }]) => volumes.join().includes('docker.sock'))
        .map(([name]) => name)
        .sort()
    expect(holders(services)).toEqual(['setup', 'worker'])
    expect(holders(node)).toEqual(['image', 'worker'])
  })

  it('runs programs that there are', () => {
    const bundled = read('package/bundle.mjs') + read('package/bundle-worker.mjs')
    const paths = [...Object.values(services), ...Object.values(node)].flatMap(
      ({ command = [] }) => command.join(' ').match(/\S+\/\S+\.m?js/g) ?? [],
    )
    expect(paths.length).toBeGreaterThan(4)
    for (const path of paths) {
      const name = /^dist\/(\w+)\.js$/.exec(path)?.[1]
      expect(name ? bundled.includes(`${name}: '`) : existsSync(join(root, path)), path).toBe(true)
    }
  })

  it('builds the image once, and asks no registry for it', () => {
    for (const all of [services, node]) {
      const own = Object.values(all).filter(({ image }) => image === 'gpuq/app:1')
      expect(own.length).toBeGreaterThan(1)
      expect(own.filter(({ build }) => build)).toHaveLength(1)
      expect(own.map(({ pull_policy }) => pull_policy)).toEqual(own.map(() => 'never'))
    }
  })

  it('starts again whatever serves, and not what ends: a set-up that fails is told, not tried for ever', () => {
    expect(services.setup?.restart).toBe('no')
    for (const name of ['postgres', 'web', 'worker']) expect(services[name]?.restart).toBe('unless-stopped')
    expect(node.worker?.restart).toBe('unless-stopped')
  })

  it('ends a worker before it gives its jobs up for want of a database, which the same `up` may replace', () => {
    const { selfFenceAfterMs, renewEveryMs } = leaseTimes()
    for (const worker of [services.worker, node.worker]) {
      const [, seconds = ''] = /^(\d+)s$/.exec(worker?.stop_grace_period ?? '') ?? []
      // The last renewal may be as old as this when the database goes.
      expect(Number.parseInt(seconds, 10) * 1000).toBeLessThan(selfFenceAfterMs - renewEveryMs)
    }
  })

  it('keeps no log that grows for ever', () => {
    for (const [name, service] of [...Object.entries(services), ...Object.entries(node)])
      expect(service.logging?.options['max-size'], name).toBeDefined()
  })

  it('takes for ready only a database that answers where gpuq asks it', () => {
    // On its socket the server answers too that makes the database on the first start, and then goes.
    expect(services.postgres?.healthcheck?.test.join(' ')).toMatch(/pg_isready .*-h 127\.0\.0\.1/)
  })

  it('publishes nothing to other machines, but for a cluster the database, at the one address that was given', () => {
    expect(services.postgres?.ports).toEqual([])
    for (const port of Object.values(services).flatMap(({ ports }) => ports))
      expect(port).toMatch(/^127\.0\.0\.1:/)
    const cluster = servicesOf('compose.cluster.yaml')
    expect(cluster.postgres?.ports).toEqual([
      expect.stringMatching(/^\$\{GPUQ_NODE_ADDRESS:\?[^}]+\}:5432:5432$/),
    ])
    // From the host's own network the service's name leads nowhere.
    expect(cluster.worker?.network_mode).toBe('host')
    expect(cluster.worker?.environment.DATABASE_URL).toMatch(/@\$\{GPUQ_NODE_ADDRESS\}:5432\//)
  })

  it('asks for GPUs as every Compose since 2 understands it', () => {
    // `gpus` is refused by those before 2.30, which Debian and Ubuntu still have.
    expect(read('compose.nvidia.yaml')).toMatch(/capabilities: \[gpu\]/)
    expect(servicesOf('compose.nvidia.yaml').worker).toBeDefined()
  })
})

describe('what the image is built from', () => {
  const ignored = read('Dockerfile.dockerignore').split('\n')

  it('has no secret, and nothing that was built on the machine', () => {
    for (const path of ['**/.env', '.git', 'node_modules', 'data', '.next', 'dist'])
      expect(ignored).toContain(path)
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('.env')
  })

  it('takes into the image what its programs read at their run', () => {
    const taken = [...read('Dockerfile').matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(
      ([, paths = '']) => paths.split(' ').map((path) => path.replace('/opt/gpuq/', '')),
    )
    for (const path of [
      'node_modules',
      'package.json',
      'next.config.js',
      '.next',
      'dist',
      'public',
      'prisma',
      'cli/python',
      'deploy',
    ])
      expect(taken).toContain(path)
  })
})

describe('the example of deploy/.env', () => {
  it('names only what the compose files know', () => {
    const names = [...read('compose.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(
      ([, name = '']) => name,
    )
    expect(names.length).toBeGreaterThan(8)
    const asked = ['compose.yaml', 'compose.cluster.yaml', 'compose.node.yaml'].map(read).join()
    for (const name of names)
      expect(name === 'COMPOSE_FILE' || asked.includes(`\${${name}:`), name).toBe(true)
  })
})
