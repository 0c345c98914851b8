import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { readSource } from '../../jobs/read/read'
import { upload } from '../testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let ada = {} as Person
beforeAll(async () => {
  ada = await makePerson()
  await db.pool.query('UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000')
  // The first job creates an environment.
  await makeJob()
})

const commandJob = { code: null, config: 'command: "cd /job && python -c \'print(1)\' # ü"' }

it('a command in the config replaces solution.py, is stored once, and can be submitted again unchanged', async () => {
  const first = await upload(ada, commandJob)
  expect(first).toMatchObject({ status: 202, body: { status: 'pending' } })
  const { rows } = await db.pool.query('SELECT command, program_hash, spec FROM jobs WHERE id = $1', [
    first.body.job_id,
  ])
  expect(rows[0]).toMatchObject({ command: "cd /job && python -c 'print(1)' # ü", program_hash: null })
  expect(rows[0].spec).not.toHaveProperty('command')

  const source = await readSource(ada.actor, String(first.body.job_id))
  const lines = source.config.split('\n').filter((line) => line.startsWith('command'))
  const again = await upload(ada, { code: null, config: lines.join('\n') }, 'wait=false&deduplicate=true')
  expect(again.body).toMatchObject({ job_id: first.body.job_id, deduplicated: true })
})

it('a command or a program is required, but not both', async () => {
  expect(await upload(ada, { code: null })).toMatchObject({
    status: 422,
    body: {
      detail: 'The part code is missing: add -F "code=@solution.py".',
      errors: [{ path: 'code' }],
    },
  })
  const both = await upload(ada, { ...commandJob, code: 'print(1)' })
  expect(both.status).toBe(422)
  expect(both.body.errors).toEqual([
    {
      path: 'command',
      message:
        'a job runs either a command or a program: omit this key to run solution.py, or omit the part code to run the command. A command finds the files of a directory, or of -F "files=@train.py"',
    },
  ])
})

it('gets the GPUs of its models', async () => {
  await db.pool.query(`INSERT INTO model_requirements (name, milli) VALUES ('large', 2500)`)
  const { body } = await upload(ada, { code: null, config: 'command: python a.py --llm large' })
  const { rows } = await db.pool.query('SELECT spec FROM jobs WHERE id = $1', [body.job_id])
  expect(rows[0].spec).toMatchObject({ gpu_count: 3 })
})

it('a command in an unknown environment is rejected with the names of the enabled environments', async () => {
  await db.pool.query(
    `INSERT INTO environments (id, name, image, enabled) VALUES (gen_random_uuid(), 'old', 'gpuq/python:2', false)`,
  )
  const { status, body } = await upload(ada, { config: 'environment: nowhere' })
  expect(status).toBe(422)
  expect(body.detail).toBe('environment: there is no environment "nowhere": use one of "python"')
  expect((await upload(ada, { config: 'environment: old' })).status).toBe(422)
})
