import { beforeAll, expect, it } from 'vitest'
import { expectProblem } from './expect-problem'
import { bearer, call } from './http-call'
import { sessionCookie } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, fileOf, submit, waitingConfig } from './uploads'

/** A browser must never render the output of a job as a page of gpuq. */

const page = '<!doctype html><script>document.title = "owned"</script><svg onload="alert(1)">'

let person: TestUser
let id: string
let file: string
let cookie: string
beforeAll(async () => {
  person = await createUser({ name: 'downloads', limits: noLimits })
  cookie = await sessionCookie(person)
  const config = configText({ competition_id: 'a.html', name: page.slice(0, 100) })
  id = await submit(person, `print(${JSON.stringify(page)})`, config, { wait: true })
  file = await fileOf(person, id)
})

for (const format of ['jsonl', 'text']) {
  it(`the ${format} of a job that printed HTML is downloaded, not rendered`, async () => {
    for (const accept of ['*/*', 'text/html', 'image/svg+xml']) {
      const { status, headers, text } = await call(`/api/results/${id}?format=${format}`, {
        headers: { cookie, accept, 'sec-fetch-dest': 'document' },
      })
      expect(status).toBe(200)
      expect(text).toContain('<script>')
      expect(headers['content-type']).toMatch(/^(text\/plain|application\/x-ndjson); charset=utf-8$/)
      expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w.-]+\.(jsonl|txt)"$/)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toBe('sandbox')
      expect(headers['cache-control']).toBe('no-store')
    }
  })
}

it('all other responses about the job are JSON that browsers do not sniff', async () => {
  const paths = [
    `/api/results/${id}`,
    `/api/status/${id}`,
    `/api/jobs/${id}/source`,
    `/api/jobs`,
    `/api/jobs/${id}/events`,
    `/api/status/<script>alert(1)<%2fscript>`,
  ]
  for (const path of paths) {
    const { headers } = await call(encodeURI(path), { headers: { cookie, accept: 'text/html' } })
    expect(headers['content-type'], path).toMatch(
      /^(application\/json|application\/problem\+json|text\/event-stream)/,
    )
    expect(headers['x-content-type-options'], path).toBe('nosniff')
  }
})

it('an error does not repeat the request', async () => {
  const asked = '%3Cscript%3Ealert(1)%3C/script%3E'
  for (const path of [
    `/api/status/${asked}`,
    `/api/results/${id}?format=${asked}`,
    `/api/jobs?status=${asked}`,
    `/api/jobs?cursor=${asked}`,
    `/api/users/${asked}`,
    `/api/nothing/${asked}`,
    `/sign-in?error=${asked}&next=${asked}`,
  ]) {
    const { text, status } = await call(path, { headers: bearer(person.token) })
    expect(status, path).toBeLessThan(500)
    expect(text, path).not.toContain('<script>alert(1)')
  }
})

it('an unknown format and a file that does not exist yet are rejected', async () => {
  expectProblem(
    await call(`/api/results/${id}?format=html`, { headers: bearer(person.token) }),
    422,
    /format/,
  )
  const waiting = await submit(person, 'print(1)', waitingConfig)
  const early = await call(`/api/results/${waiting}?format=jsonl`, { headers: bearer(person.token) })
  expectProblem(early, 409, /not ended/)
  await person.client.jobs.cancel(waiting)
})

it('the file is named after its job and cannot leave its directory', async () => {
  const { headers } = await call(`/api/results/${id}?format=jsonl`, { headers: bearer(person.token) })
  expect(headers['content-disposition']).toContain(`"${person.handle}_a.html_`)
  expect(headers['content-disposition']).toContain(`"${file}"`)
})
