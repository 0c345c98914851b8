import { afterEach, describe, expect, it, vi } from 'vitest'
import { webProgram, workerProgram } from './programs'
import { firstStartSecrets, takeFirstStartSecrets } from './settings.mjs'

const secret = 'a secret of the first start, long enough'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** lib/env with an environment of its own: the other tests of this process share the module. */
async function freshEnv() {
  vi.resetModules()
  return import('@/lib/env')
}

describe('the secrets of the first start', () => {
  it('are the same list for the launcher and for the environment', async () => {
    expect((await freshEnv()).firstStartSecrets).toEqual(firstStartSecrets)
  })

  it('do not reach the web and the worker', () => {
    for (const name of firstStartSecrets) vi.stubEnv(name, secret)
    vi.stubEnv('GPUQ_LOG_LEVEL', 'debug')
    for (const { env } of [webProgram('production', '/data'), workerProgram('production', '/data')]) {
      expect(Object.values(env)).not.toContain(secret)
      expect(env.GPUQ_LOG_LEVEL).toBe('debug')
    }
  })

  it('are taken out of the environment before anything is started, and used once', async () => {
    for (const name of firstStartSecrets) vi.stubEnv(name, secret)
    const taken = takeFirstStartSecrets(process.env)
    expect(Object.keys(taken)).toEqual(firstStartSecrets)
    expect(Object.values(process.env)).not.toContain(secret)
    const { env, forgetFirstStartSecrets, loadEnv } = await freshEnv()
    loadEnv(taken)
    expect([env().GPUQ_ADMIN_PASSWORD, env().GPUQ_ADMIN_TOKEN]).toEqual([secret, secret])
    forgetFirstStartSecrets()
    expect(Object.values(env())).not.toContain(secret)
  })

  it('are removed from a process that read them by itself', async () => {
    vi.stubEnv('GPUQ_ADMIN_PASSWORD', secret)
    const { env, forgetFirstStartSecrets } = await freshEnv()
    expect(env().GPUQ_ADMIN_PASSWORD).toBe(secret)
    forgetFirstStartSecrets()
    expect(process.env.GPUQ_ADMIN_PASSWORD).toBeUndefined()
    expect(env().GPUQ_ADMIN_PASSWORD).toBeUndefined()
  })
})
