import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { downloadClient, startPython } from './run-python'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'

/** Runs the loop of docs/agents.md that needs no agent. */

let home: string
let person: TestUser

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-agents-'))
  person = await createUser({ name: 'looper', limits: noLimits })
  await downloadClient(home)
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** The best learning rate is 0.2, and 0.4 fails. */
const program = `import sys, json
lr = float(sys.argv[2])
if lr > 0.3:
    raise ValueError("the loss diverges")
print(json.dumps({"loss": abs(lr - 0.2)}))
`

it('the loop in Python learns why a job failed, goes on, and leaves a tree of experiments', async () => {
  const document = await readFile('docs/agents.md', 'utf8')
  const [, loop = ''] = /^```python\n([\s\S]*?)^```$/m.exec(document) ?? []
  await writeFile(join(home, 'train.py'), program)
  const small = loop.replace('gpus=1', 'gpus=0, cpu=0.5, memory_gb=0.25')
  const run = await startPython(home, small, { GPUQ_URL: theSystem().url, GPUQ_TOKEN: person.token })
  expect(await run.ended, run.err).toBe(0)
  const output = run.out
  expect(output).toContain('ValueError: the loss diverges')
  expect(output).toMatch(/Next: .+/)
  expect(output).toMatch(/lr-0\.2 0(\.0)?\n/)
  const { items } = await person.client.experiments.list({})
  const [worse, best, failed] = items
  expect(items).toHaveLength(3)
  expect(output).toContain(`best 0.0 ${best?.id}`)
  expect(worse).toMatchObject({
    name: 'lr-0.1',
    parent: best?.id,
    status: 'completed',
    metrics: { loss: 0.1 },
  })
  expect(best).toMatchObject({ name: 'lr-0.2', parent: null, followers: 1 })
  expect(failed).toMatchObject({ name: 'lr-0.4', status: 'failed' })
})
