import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { StorageUse, StoredItem } from '@/lib/contract/access/storage'
import { emptyStorage } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { LowDiskBanner } from './low-disk-banner'
import { StoragePanel } from './storage-panel'

const GiB = 1024 ** 3
const item: StoredItem = {
  kind: 'job',
  id: '01a20000-0000-7000-8000-000000000001',
  name: 'train',
  project: 'p1',
  project_id: 'thesis',
  bytes: 2 * GiB,
  created_at: '2026-11-22T10:00:00.000Z',
  in_use: false,
  deleting: false,
}

const full: StorageUse = {
  used_bytes: 5 * GiB,
  quota_bytes: 5 * GiB,
  by_kind: { ...emptyStorage.by_kind, artifacts: 4 * GiB, checkpoints: GiB },
}

describe('the storage panel', () => {
  it('shows use by kind, says what a full quota means, and deletes after a confirmation', async () => {
    answerWith({
      'GET /api/storage': { storage: full, items: [item] },
      [`DELETE /api/jobs/${item.id}/files`]: {},
    })
    renderUi(<StoragePanel />)
    expect(await screen.findByText('5.0 GiB of 5.0 GiB used')).toBeTruthy()
    expect(screen.getByText('Your storage is full')).toBeTruthy()
    expect(screen.getByText('4.0 GiB')).toBeTruthy()
    clickButton('Delete…')
    expect(sentRequests.filter(({ method }) => method === 'DELETE')).toEqual([])
    clickButton('Delete')
    await screen.findByRole('button', { name: 'Delete…' })
    expect(sentRequests).toContainEqual(
      expect.objectContaining({ method: 'DELETE', path: `/api/jobs/${item.id}/files` }),
    )
  })

  it('offers no deletion of what a job needs', async () => {
    const items = [
      {
        ...item,
        kind: 'checkpoints',
        id: '01a20000-0000-7000-8000-000000000002',
        name: 'base',
        in_use: true,
      },
    ]
    answerWith({ 'GET /api/storage': { storage: emptyStorage, items } })
    renderUi(<StoragePanel />)
    expect(await screen.findByText('Checkpoints of base')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Delete…' })).toHaveProperty('disabled', true)
  })

  it('leads to the snapshots of a directory that has a name', async () => {
    const items = [{ ...item, kind: 'archive', name: 'data/cifar10@2' }]
    answerWith({ 'GET /api/storage': { storage: emptyStorage, items } })
    renderUi(<StoragePanel />)
    const link = await screen.findByRole('link', { name: 'Snapshot data/cifar10@2' })
    expect(link.getAttribute('href')).toBe('/projects/p1/snapshots')
    expect(screen.queryByRole('button', { name: 'Delete…' })).toBeNull()
  })
})

describe('the banner of a full disk', () => {
  const disk = { free_bytes: 3 * GiB, min_free_bytes: 5 * GiB }

  it('appears only while the disk is almost full', async () => {
    answerWith({ 'GET /api/storage/disk': { ...disk, low: true } })
    renderUi(<LowDiskBanner />)
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /3\.0 GiB of the data directory's disk is free/,
    )
  })
})
