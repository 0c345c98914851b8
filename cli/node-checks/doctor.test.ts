import { describe, expect, it } from 'vitest'
import { fakeContext } from '../testing/fake-context'
import { doctor } from './doctor'

const check = { id: 'engine', title: 'Docker engine', found: 'It is old.' }
const report = (changes: object = {}) => ({
  node_id: 0,
  name: 'lab-1',
  state: 'ready',
  checked_at: new Date(Date.now() - 60_000).toISOString(),
  checking: false,
  failures: 1,
  warnings: 0,
  checks: [
    { ...check, status: 'failure', action: 'Update it.' },
    { ...check, title: 'Clock', status: 'ok', found: 'It is right.', action: null },
  ],
  ...changes,
})

describe('gpuq doctor', () => {
  it('prints what to do, and exits with 1 if a check failed', async () => {
    const context = fakeContext(() => Response.json([report()]))
    expect(await doctor(context, {})).toBe(1)
    expect(context.written.out).toMatch(
      /^lab-1 \(node 0, ready\): 1 failure, checked .* ago\n {2}✗ Docker engine: It is old\.\n {6}What to do: Update it\.\n {2}✓ Clock: It is right\.\n$/,
    )
  })

  it('exits with 0 if there are only warnings', async () => {
    const warned = { ...check, status: 'warning', action: 'Update it.' }
    const context = fakeContext(() => Response.json([report({ failures: 0, warnings: 1, checks: [warned] })]))
    expect(await doctor(context, {})).toBe(0)
    expect(context.written.out).toContain('1 warning, checked')
  })

  it('prints the reports as JSON', async () => {
    const context = fakeContext(() => Response.json([report()]))
    expect(await doctor(context, { json: true })).toBe(1)
    expect(JSON.parse(context.written.out)).toMatchObject([{ name: 'lab-1', failures: 1 }])
  })

  it('says that a node was not checked', async () => {
    const unchecked = { checked_at: null, failures: 0, checks: [] }
    const context = fakeContext(() => Response.json([report(unchecked)]))
    expect(await doctor(context, {})).toBe(0)
    expect(context.written.out).toMatch(/not checked yet/)
  })

  it('says what can be checked without the server', async () => {
    const context = fakeContext(() => {
      throw new TypeError('fetch failed')
    })
    await expect(doctor(context, {})).rejects.toMatchObject({ code: 'unreachable' })
    expect(context.written.err).toMatch(/`gpuq doctor --local` checks this machine.*GPUs, default image/)
  })
})
