import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText } from './uploads'

/** What a program prints and writes reaches its user as it was printed and written. */

const run = promisify(execFile)
const program = join(import.meta.dirname, '..', 'dist', 'cli.js')
let home: string
let person: TestUser
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-values-'))
  person = await createUser({ name: 'printer', limits: noLimits })
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** The text of the answer to a submission that waits for the end of its job. */
async function answerTo(code: string): Promise<string> {
  const body = new FormData()
  body.append('code', new Blob([code]), 'solution.py')
  body.append('config_file', new Blob([configText({ gpu_count: 0 })]), 'config.yaml')
  const headers = { authorization: `Bearer ${person.token}` }
  const response = await fetch(`${theSystem().url}/api/submit?wait=120`, { method: 'POST', headers, body })
  return response.text()
}

async function gpuq(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: person.token, HOME: home, PATH: process.env.PATH }
  return run(process.execPath, [program, ...words], { cwd: home, env: { ...env, NODE_ENV: 'production' } })
}

it('numbers have their digits, NaN is a text, and files left in /work are named', async () => {
  const line = '{"id": 9007199254740993, "lr": 1e-05, "huge": 1e400, "zero": -0.0, "a": 1, "a": 2}'
  const answer = await answerTo(
    `import json\nprint('${line}')\nprint(json.dumps({"loss": float("nan"), "accuracy": 0.91}))\nopen("best.ckpt", "wb").write(b"x" * 1000)`,
  )
  expect(answer).toContain(`"results":[${line},{"loss": "NaN", "accuracy": 0.91}]`)
  const { job_id: id, stdout, reason_text } = JSON.parse(answer)
  expect(stdout).toBe(`${line}\n{"loss": NaN, "accuracy": 0.91}\n`)
  expect(reason_text).toContain('The program left 1 file (1000 B) in /work, which was not kept: best.ckpt.')
  expect((await gpuq('results', id, '--json')).stdout).toContain('"id": 9007199254740993,')
  const csv = await person.client.transport.raw(`/api/jobs/${id}/metrics.csv?names=id`)
  expect(await csv.text()).toContain(',9007199254740993\r\n')
})

it('files have the names that the program gave them', async () => {
  const names = ['epoch:3.ckpt', 'confusion_A.txt', 'confusion_a.txt', `run_${'lr=0.001_'.repeat(20)}.csv`]
  const answer = await answerTo(
    names.map((name) => `open("/results/${name}", "w").write("${name}")`).join('\n'),
  )
  const { stderr } = await gpuq('artifacts', JSON.parse(answer).job_id, '-o', 'out')
  expect(stderr).toBe('')
  expect((await readdir(join(home, 'out'))).toSorted()).toEqual(names.toSorted())
  for (const name of names) expect(await readFile(join(home, 'out', name), 'utf8')).toBe(name)
})
