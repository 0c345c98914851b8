import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Bucket } from '@/lib/buckets/contract'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { BucketList } from './bucket-list'

const bucket: Bucket = {
  name: 'research',
  endpoint: null,
  region: 'us-east-1',
  bucket: 'research-results',
  projects: ['ada/thesis'],
  created_at: '2026-11-23T06:00:00.000Z',
  keys_changed_at: '2026-11-23T06:00:00.000Z',
}

it('registers a bucket, and sends its keys once', async () => {
  answerWith({ 'GET /api/buckets': [], 'POST /api/buckets': bucket })
  renderUi(<BucketList />)
  await screen.findByText('No buckets yet')
  clickButton('New bucket')
  typeInto('Name', 'research')
  typeInto('Bucket', 's3://research')
  typeInto('Access key', 'AKID')
  typeInto('Secret key', 'a-secret')
  clickButton('Register')
  await screen.findByText(/without s3:\/\//)
  expect(screen.getByLabelText('Secret key').getAttribute('type')).toBe('password')
  typeInto('Bucket', 'research-results')
  clickButton('Register')
  await screen.findByText('Bucket research registered')
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({
    name: 'research',
    endpoint: null,
    region: 'us-east-1',
    bucket: 'research-results',
    access_key_id: 'AKID',
    secret_access_key: 'a-secret',
  })
})

it('lists buckets with their projects, and replaces keys', async () => {
  answerWith({ 'GET /api/buckets': [bucket], 'PATCH /api/buckets/research': bucket })
  renderUi(<BucketList />)
  const row = await screen.findByRole('row', { name: /research-results/ })
  expect(within(row).getByText('ada/thesis')).toBeTruthy()
  expect(within(row).getByText(/Amazon S3/)).toBeTruthy()
  clickButton('Replace the keys of research')
  typeInto('Access key', 'AKID2')
  typeInto('Secret key', 'another')
  clickButton('Replace')
  await screen.findByText('Keys of research replaced')
  expect(sentRequests.find(({ method }) => method === 'PATCH')?.body).toEqual({
    access_key_id: 'AKID2',
    secret_access_key: 'another',
  })
})
