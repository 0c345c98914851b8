import { screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { NamedSnapshot, Snapshot } from '@/lib/snapshots/contract'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { SnapshotList } from './snapshot-list'
import { SnapshotVersions } from './snapshot-versions'

vi.mock('next/navigation', () => import('../testing/navigation'))

const project = { id: 'p-1', project_id: 'thesis', owner: 'ada', may_push: true }

function makeSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    id: 's-2',
    name: 'data/cifar10',
    version: 2,
    project_id: 'thesis',
    own: true,
    archive: 'ab'.repeat(32),
    files: 1200,
    bytes: 2048,
    created_by: 'bob',
    created_by_name: 'Bob',
    created_at: '2026-11-22T10:00:00.000Z',
    shared_at: null,
    ...changes,
  }
}
const older = makeSnapshot({ id: 's-1', version: 1, created_by: 'ada', created_by_name: null })
const at = '2026-11-22T11:00:00.000Z'

function answerVersions(...versions: Snapshot[]): void {
  answerWith({
    'GET /api/projects/p-1/snapshots/versions': versions,
    'GET /api/snapshots/s-2/changes': {
      added: { files: 1, bytes: 4 },
      removed: { files: 0, bytes: 0 },
      changed: { files: 1, bytes: 2048 },
      unchanged: { files: 1198, bytes: 9 },
      files: [
        { path: 'labels.csv', change: 'changed', bytes_before: 1024, bytes_after: 2048 },
        { path: 'new\u202e.py', change: 'added', bytes_before: null, bytes_after: 4 },
      ],
      truncated: true,
    },
  })
}

const renderVersions = (handle: string, admin = false) =>
  renderUi(<SnapshotVersions project={project} name="data/cifar10" handle={handle} admin={admin} />)
const rowOf = (name: string) => within(screen.getByRole('row', { name: new RegExp(name) }))

describe('the snapshots of a project', () => {
  it('are listed with their newest version, and those of other projects', async () => {
    const snapshots: NamedSnapshot[] = [
      { ...makeSnapshot({ shared_at: at }), versions: 2 },
      {
        ...makeSnapshot({ id: 's-9', name: 'lab/code', own: false, project_id: 'lab', created_by: null }),
        versions: 1,
      },
    ]
    answerWith({ 'GET /api/projects/p-1/snapshots': snapshots })
    renderUi(<SnapshotList project={project} />)
    const link = await screen.findByRole('link', { name: 'data/cifar10@2' })
    expect(link.getAttribute('href')).toBe('/projects/p-1/snapshots/data/cifar10')
    const own = rowOf('cifar10')
    for (const text of ['shared', '1,200', '2.0 KiB']) expect(own.getByText(text)).toBeTruthy()
    expect(own.getByRole('link', { name: 'Download data/cifar10@2' }).getAttribute('href')).toBe(
      '/api/snapshots/s-2/files.tar',
    )
    expect(rowOf('lab/code').getByText('from lab')).toBeTruthy()
  })

  it('say how to make the first one', async () => {
    answerWith({ 'GET /api/projects/p-1/snapshots': [] })
    renderUi(<SnapshotList project={project} />)
    expect(await screen.findByText('gpuq push DIR --name code --project thesis')).toBeTruthy()
  })
})

describe('the versions of a snapshot', () => {
  it('are compared, the newest with the one before it', async () => {
    answerVersions(makeSnapshot(), older)
    renderVersions('ada')
    expect(await screen.findByText('1 added (4 B), 1 changed (2.0 KiB), 1,198 unchanged')).toBeTruthy()
    const changed = rowOf('labels.csv')
    for (const text of ['changed', '1.0 KiB', '2.0 KiB']) expect(changed.getByText(text)).toBeTruthy()
    expect(screen.getByText(/Only the first 2 files/)).toBeTruthy()
    expect(document.body.textContent).not.toContain('\u202e')
    expect(sentRequests.some(({ path }) => path === '/api/snapshots/s-2/changes')).toBe(true)
  })

  it('are deleted after a confirmation', async () => {
    answerVersions(makeSnapshot(), older)
    answerWith({ 'DELETE /api/snapshots/s-1': {}, 'DELETE /api/projects/p-1/snapshots': {} })
    renderVersions('ada')
    await screen.findByRole('link', { name: 'Download data/cifar10@1' })
    clickButton('Delete data/cifar10@1')
    expect(sentRequests.filter(({ method }) => method === 'DELETE')).toEqual([])
    clickButton('Delete')
    await vi.waitFor(() =>
      expect(sentRequests).toContainEqual(
        expect.objectContaining({ method: 'DELETE', path: '/api/snapshots/s-1' }),
      ),
    )
    expect(screen.getByRole('button', { name: 'Delete all versions…' })).toHaveProperty('disabled', false)
  })

  it('can be deleted by a member only if the member made them, and by nobody while shared', async () => {
    answerVersions(makeSnapshot(), older)
    renderVersions('bob')
    await screen.findByRole('link', { name: 'Download data/cifar10@1' })
    expect(screen.queryByRole('button', { name: 'Delete data/cifar10@1' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Delete data/cifar10@2' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /all versions/ })).toBeNull()
    expect(screen.queryByRole('button', { name: /^Share/ })).toBeNull()
  })

  it('can not be deleted by a member without the right to push, who is not told how to push either', async () => {
    answerVersions(makeSnapshot(), older)
    const reading = { ...project, may_push: false }
    const { unmount } = renderUi(
      <SnapshotVersions project={reading} name="data/cifar10" handle="bob" admin={false} />,
    )
    await screen.findByRole('link', { name: 'Download data/cifar10@1' })
    expect(screen.queryByRole('button', { name: /^Delete/ })).toBeNull()
    unmount()
    answerWith({ 'GET /api/projects/p-1/snapshots': [] })
    renderUi(<SnapshotList project={reading} />)
    expect(await screen.findByText(/Ask the owner, ada, for the right to push/)).toBeTruthy()
    expect(screen.queryByText(/gpuq push/)).toBeNull()
  })

  it('are shared by admins', async () => {
    answerVersions(makeSnapshot({ shared_at: at }), older)
    answerWith({ 'PATCH /api/snapshots/s-1': older, 'PATCH /api/snapshots/s-2': makeSnapshot() })
    renderVersions('root', true)
    await screen.findByRole('link', { name: 'Download data/cifar10@1' })
    expect(screen.queryByRole('button', { name: 'Delete data/cifar10@2' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Delete all versions…' })).toHaveProperty('disabled', true)
    clickButton(/^Share….*cifar10@1$/)
    clickButton('Share')
    await vi.waitFor(() =>
      expect(sentRequests).toContainEqual(
        expect.objectContaining({
          method: 'PATCH',
          path: '/api/snapshots/s-1',
          body: { shared: true },
        }),
      ),
    )
  })
})
