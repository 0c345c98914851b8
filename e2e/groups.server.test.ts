import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from './run-cli'
import { downloadClient, runPython } from './run-python'
import { theSystem } from './system/the-system'
import { createUser, type TestUser } from './test-users'

/** Sweeps of a user with one active job, by the ways that need no page. */

let home: string
let person: TestUser
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-groups-'))
  person = await createUser({ name: 'sweeper', limits: { max_active_jobs: 1, submissions_per_minute: 100 } })
  await downloadClient(home)
})
afterAll(() => rm(home, { recursive: true, force: true }))

const program = `import json, os, sys
rate = float(sys.argv[2])
print(json.dumps({"step": 1, "loss": abs(rate - 0.1), "same": os.environ["GPUQ_PARAM_RATE"] == sys.argv[2]}))
`

it('a sweep with the Python client runs each member, names the best, writes a table, and downloads all files', async () => {
  await writeFile(join(home, 'train.py'), program)
  const printed = await runPython(
    home,
    `import gpuq, json
found = gpuq.sweep("train.py", rate=[0.3, 0.1, 0.2], gpus=0, cpu=0.5, memory_gb=0.25, expected_time=60,
                   objective={"metric": "loss", "mode": "min"})
found.wait(600)
path = found.to_csv("table.csv")
best = found.best
for one in found.members:
    gpuq.job(one["job_id"]).wait().results
saved = found.download("sweep")
print(json.dumps({"status": found.status, "best": best["parameters"], "loss": best["objective"],
                  "files": sorted(str(path) for path in saved.rglob("*") if path.is_file()),
                  "members": [one["status"] for one in found.members], "same": gpuq.job(best["job_id"]).wait().results[0]["same"]}))`,
    { GPUQ_URL: theSystem().url, GPUQ_TOKEN: person.token },
  )
  expect(printed).toEqual({
    status: 'completed',
    best: { rate: 0.1 },
    loss: 0,
    files: [
      'sweep/0000-rate=0.3/output.jsonl',
      'sweep/0001-rate=0.1/output.jsonl',
      'sweep/0002-rate=0.2/output.jsonl',
      'sweep/group.json',
      'sweep/members.csv',
    ],
    members: ['completed', 'completed', 'completed'],
    same: true,
  })
  const table = await readFile(join(home, 'table.csv'), 'utf8')
  const [head, first] = table.split('\r\n')
  expect(head).toBe('member,rate,repeat,status,loss,step,run_seconds,job_id')
  expect(Number(first?.split(',')[6])).toBeGreaterThan(0)
})

it('a config with an array is a group for curl and for the command line', async () => {
  const config = `competition_id: c
project_id: sweeps
expected_time: 60
gpu_count: 0
cpu: 0.5
memory_gb: 0.25
array: 3-4
`
  await writeFile(join(home, 'config.yaml'), config)
  await writeFile(
    join(home, 'solution.py'),
    `import os\nprint({"number": int(os.environ["GPUQ_ARRAY_INDEX"])})\n`,
  )
  const form = new FormData()
  form.append('code', new Blob([await readFile(join(home, 'solution.py'))]), 'solution.py')
  form.append('config_file', new Blob([config]), 'config.yaml')
  const answer = await fetch(`${theSystem().url}/api/groups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}` },
    body: form,
  })
  expect(answer.status).toBe(201)
  const submitted = await answer.json()
  expect(submitted).toMatchObject({ kind: 'array', members: 2, counts: { held: 2 } })

  const options = { home, env: { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: person.token } }
  const waited = await runCli(['group', submitted.group_id, 'wait'], options)
  expect(waited).toMatchObject({ code: 0, out: `${submitted.group_id} completed\n` })
  const direct = await runCli(['submit', join(home, 'solution.py'), join(home, 'config.yaml')], options)
  expect(direct.code).toBe(0)
  expect(direct.err).toContain('2 of 2 ended')
})

it('a config of a group that is sent as one job is refused with what to do', async () => {
  const form = new FormData()
  form.append('code', new Blob(['print(1)']), 'solution.py')
  form.append(
    'config_file',
    new Blob(['competition_id: c\nproject_id: p\nexpected_time: 60\narray: 0-3\n']),
    'config.yaml',
  )
  const answer = await fetch(`${theSystem().url}/api/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}` },
    body: form,
  })
  expect(answer.status).toBe(422)
  expect((await answer.json()).detail).toMatch(
    /`array` makes a group of jobs: send the same form to POST \/api\/groups/,
  )
})
