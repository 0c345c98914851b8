import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { test } from './browser-test'
import { startPython } from './run-python'
import { signIn } from './sign-in'
import { createUser, noLimits } from './test-users'

/** Runs the Python program that a page shows. `python-client.server.test.ts` tests the client. */

let home: string
test.beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-python-'))
})
test.afterAll(() => rm(home, { recursive: true, force: true }))

test('the program on the page Tokens downloads the client from this server and runs a job', async ({
  page,
  context,
}) => {
  const person = await createUser({ name: 'pythonista', limits: noLimits })
  await signIn(context, person)
  await page.goto('/tokens')
  const shown = page.getByRole('region', { name: 'Python program' })
  await expect(page.getByRole('button', { name: 'Copy Python program' })).toBeVisible()
  const program = ((await shown.textContent()) ?? '')
    .replace('YOUR_TOKEN', person.token)
    .replace('gpus=1', 'gpus=0, cpu=0.5, memory_gb=0.25, expected_time=60')
  await writeFile(join(home, 'solution.py'), 'import json\nprint("hello")\nprint(json.dumps({"a": 1}))\n')
  // Neither variables nor a login: the file itself names the server.
  const ran = await startPython(home, program, {})
  expect([await ran.ended, ran.err]).toEqual([0, ''])
  expect(ran.out).toBe(`hello\n{"a": 1}\ncompleted [{'a': 1}]\n`)
})
