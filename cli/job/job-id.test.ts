import { expect, it } from 'vitest'
import { fakeContext, jobId, summary } from '../testing/fake-context'
import { findJobId, findJobIds } from './job-id'

const other = '0190a3b5-0000-7000-8000-000000000002'

/** A client with two pages of one job each. */
const client = () =>
  fakeContext((request) => {
    if (new URL(request.url).searchParams.get('cursor') === 'c2')
      return Response.json([summary({ job_id: other })])
    return Response.json([summary()], { headers: { link: '</api/jobs?cursor=c2>; rel="next"' } })
  }).connect()

it('finds a job by the start of its id, on any page', async () => {
  expect(await findJobId(await client(), '0190a3b4')).toBe(jobId)
  expect(await findJobId(await client(), '0190A3B5-0')).toBe(other)
})

it('accepts a full id without a request', async () => {
  const { connect } = fakeContext(() => Response.error())
  expect(await findJobId(await connect(), jobId.toUpperCase())).toBe(jobId)
})

it('explains why a prefix is wrong', async () => {
  await expect(findJobId(await client(), '0190a3b')).rejects.toThrow(
    `2 of your job ids start with 0190a3b: ${jobId}`,
  )
  await expect(findJobId(await client(), 'ffff')).rejects.toThrow('You have no job')
  await expect(findJobId(await client(), '../x')).rejects.toThrow('is not a job id')
})

it('returns each job once', async () => {
  expect(await findJobIds(await client(), [jobId, '0190a3b4', other])).toEqual([jobId, other])
})
