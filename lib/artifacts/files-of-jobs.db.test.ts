import { beforeAll, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { artifactRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = await Promise.all([makePerson(), makePerson()])
})

const get = (ids: string, { cookie }: Person) =>
  call(artifactRoutes.filesOfJobs, `/api/jobs/files.tar?ids=${ids}`, { cookie })

it('refuses jobs without files, jobs of other users, and wrong ids, in words', async () => {
  const own = await makeJob({ userId: ada.id })
  const foreign = await makeJob({ userId: bob.id })
  expect(await get(own, ada)).toMatchObject({
    status: 409,
    body: { detail: 'These jobs have no files: they have not ended, or their files were deleted.' },
  })
  expect((await get(`${own},${foreign}`, ada)).status).toBe(404)
  expect((await get('', ada)).status).toBe(422)
  expect((await get(`${own},x`, ada)).status).toBe(422)
  expect((await get(Array.from({ length: 9_000 }, () => own).join(','), ada)).status).toBe(422)
})
