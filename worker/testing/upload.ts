import { uuidv7 } from 'uuidv7'
import { generateToken, hashToken, tokenHint } from '@/lib/access/tokens/token-format'
import { makeUser } from '@/lib/cluster/testing/rows'
import { receiveUpload } from '@/lib/http/upload'
import { accept } from '@/lib/jobs/submission/accept'
import type { Lab } from './lab'

/** Keys of the config, besides those that every upload of a test has. */
export type ConfigKeys = Record<string, string | number | Record<string, string>>

/** Makes a user of the lab with a token that may submit jobs. */
export async function makeSender(lab: Lab): Promise<{ userId: string; token: string }> {
  const { pool } = lab.database
  const userId = await makeUser(undefined, pool)
  const token = generateToken()
  lab.tokens.push(token)
  await pool.query(
    `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, created_by_id, expires_at)
     VALUES ($1, $2, 'of a test', $3, $4, $5, $2, now() + interval '1 day')`,
    [uuidv7(), userId, hashToken(token), tokenHint(token), ['submit', 'read']],
  )
  return { userId, token }
}

/** Registers an image under its own name. Python's is the default. */
export async function makeEnvironment(lab: Lab, image = 'gpuq/python:2'): Promise<string> {
  const name = image === 'gpuq/python:2' ? 'python' : image.replace(/\W/g, '-')
  await lab.database.pool.query(
    'INSERT INTO environments (id, name, image, is_default) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [uuidv7(), name, image, name === 'python'],
  )
  return name
}

/** The form of an upload whose config has the token inside. */
export function uploadForm(token: string, code: string, keys: ConfigKeys = {}): FormData {
  const config = {
    competition_id: 'faults',
    project_id: 'faults',
    expected_time: 60,
    max_time: 900,
    gpu_count: 1,
    token,
    ...keys,
  }
  const text = Object.entries(config).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  const form = new FormData()
  form.append('code', new Blob([code]), 'solution.py')
  form.append('config_file', new Blob(text), 'config.yaml')
  return form
}

/** Uploads a job as a new user does, through the code of the web server, with the token in the config. */
export async function upload(lab: Lab, code: string, keys: ConfigKeys = {}): Promise<string> {
  await makeEnvironment(lab)
  const { token } = await makeSender(lab)
  const body = uploadForm(token, code, keys)
  const request = new Request('http://localhost/api/submit', { method: 'POST', body })
  const { jobId } = await lab.inDatabase(() =>
    receiveUpload(request, null, ({ actor, request: given }) => accept(actor, given)),
  )
  await lab.database.pool.query(`SELECT pg_notify('gpuq_queue', $1)`, [jobId])
  return jobId
}
