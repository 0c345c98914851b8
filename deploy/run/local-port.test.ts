import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

it('npm run dev says in one line that it does not serve port 10000, and what does', async () => {
  vi.stubEnv('RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED', 'true')
  vi.stubEnv('PORT', '')
  vi.resetModules()
  const { prepareLocalPort } = await import('./local-port')
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const report = { line: say, warn: say, step: vi.fn() }
  expect(await prepareLocalPort(report, true)).toBeNull()
  expect(said).toEqual([
    'npm run dev does not serve port 10000: the queue API is only on the port of gpuq, with a token. npm start serves it.',
  ])
})
