import { readFile } from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import { makePerson, makeToken } from '../access/testing/people'
import { createToken } from '../access/tokens/tokens'
import { createTokenSchema } from '../contract/access/access'
import { testDatabase } from '../database/testing/test-database'
import { maxCharacters } from './agent-texts'
import { documentationRoutes } from './routes'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_URL', 'https://queue.test')
})
const db = testDatabase()

async function read(name: 'skill' | 'llms', token?: string) {
  const path = name === 'skill' ? '/skill.md' : '/llms.txt'
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await documentationRoutes[name](new Request(`https://queue.test${path}`, { headers }), {
    params: Promise.resolve({}),
  })
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
}

async function makeEnvironments(count: number) {
  await db.pool.query(
    `INSERT INTO environments (id, name, image, network)
     SELECT gen_random_uuid(), 'private-name-of-a-project-' || n, 'image', 'internet' FROM generate_series(1, $1) n
     ON CONFLICT DO NOTHING`,
    [count],
  )
}

it('the skill has the loop with the address of this server, and nothing private without a login', async () => {
  await makeEnvironments(1)
  const { status, type, text } = await read('skill')
  expect({ status, type }).toEqual({ status: 200, type: 'text/markdown; charset=utf-8' })
  expect(text).toMatch(/^---\nname: gpuq\ndescription: .*https:\/\/queue\.test.*\n---\n/)
  for (const word of ['WaitForGPUJobs', 'DiagnoseGPUJob', 'https://queue.test/api/mcp', 'Retry-After'])
    expect(text).toContain(word)
  expect(text).not.toContain('gpu.example.org')
  expect(text).not.toContain('private-name')
  expect(text).not.toMatch(/\]\((?!https:)/)
  expect(text.length).toBeLessThanOrEqual(maxCharacters)
})

it('an agent reads the environments and the limits of its token', async () => {
  const person = await makePerson()
  await makeEnvironments(2)
  const limits = { environments: ['private-name-of-a-project-2'], max_time: 600 }
  const { token } = await createToken(person.actor, createTokenSchema.parse({ name: 'agent', limits }))
  const { text } = await read('skill', token)
  expect(text).toContain('max_time 600')
  expect(text).toContain('- Environment `private-name-of-a-project-2`')
  expect(text).not.toContain('private-name-of-a-project-1')
})

it('a user reads their environments and limits in the skill, however many there are', async () => {
  const person = await makePerson()
  const { token } = await makeToken(person)
  await makeEnvironments(1)
  await db.pool.query('UPDATE users SET max_active_jobs = 7 WHERE id = $1', [person.id])
  const few = await read('skill', token)
  expect(few.text).toContain(`The token belongs to ${person.handle}.`)
  expect(few.text).toContain('max_active_jobs 7')
  expect(few.text).toContain('- Environment `private-name-of-a-project-1`: with internet access.')
  await makeEnvironments(500)
  const many = await read('skill', token)
  expect(many.text).toContain('Further environments')
  expect(many.text.length).toBeLessThanOrEqual(maxCharacters)
  expect((await read('skill', 'gpuq_wrong')).status).toBe(401)
})

it('llms.txt lists each document of the server', async () => {
  const { status, text } = await read('llms')
  expect(status).toBe(200)
  expect(text).toMatch(/^# gpuq\n\n> /)
  expect(text).toContain('[Agents](https://queue.test/docs/agents): ')
  expect(text).toContain('https://queue.test/skill.md')
  expect(text.length).toBeLessThanOrEqual(maxCharacters)
})

it('each example of a loop in docs/agents.md has at most 40 lines', async () => {
  const document = await readFile('docs/agents.md', 'utf8')
  for (const title of ['Claude Code', 'Codex', 'The loop in Python']) {
    const section = document.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
    const lines = [...section.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].flatMap(([, code = '']) =>
      code.trim().split('\n'),
    )
    expect(lines.length, title).toBeGreaterThan(5)
    expect(lines.length, title).toBeLessThanOrEqual(40)
  }
})
