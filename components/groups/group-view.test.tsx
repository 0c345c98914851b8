import { fireEvent, screen, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { router } from '../testing/navigation'
import {
  ApiProblem,
  answerWith,
  clickButton,
  openByKeyboard,
  renderUi,
  sentRequests,
  typeInto,
} from '../testing/render'
import { toast } from '../ui/toaster'
import { ActiveGroups } from './active-groups'
import { GroupList } from './group-list'
import { GroupView } from './group-view'
import { heldMember, makeGroup, makeMember } from './testing/make-group'

vi.mock('next/navigation', () => import('../testing/navigation'))

const group = makeGroup()
const path = `/api/groups/${group.group_id}`
const page = (items: unknown[], next?: string) =>
  new Response(JSON.stringify(items), {
    headers: {
      'content-type': 'application/json',
      ...(next && { link: `</api/groups/x/members?cursor=${next}>; rel="next"` }),
    },
  })

beforeEach(() => {
  // jsdom has no canvas, and rows in view need a height.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800)
  router.push.mockClear()
})

/** Shows the group with two pages of members. */
async function show(detail = group, approval?: ReactNode) {
  answerWith({
    [`GET ${path}`]: detail,
    [`GET ${path}/members`]: ({ query }: { query: URLSearchParams }) =>
      query.has('cursor')
        ? page([heldMember(2)])
        : page([makeMember(0), makeMember(1, { status: 'running', ended_at: null })], 'b'),
  })
  renderUi(<GroupView id={group.group_id} handle="ada" mayChange approval={approval} />)
  const table = await screen.findByRole('table', { name: 'Members' })
  await within(table).findByText('#2')
  return table
}

const numbers = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[0]?.textContent)

it('the best member of a wave is named by what it changed, without its texts for people', async () => {
  const parameters = { hypothesis: 'It converges.', 'env.LR': '1' }
  await show(makeGroup({ kind: 'wave', best: makeMember(0, { parameters }) }))
  expect(screen.getByText('Best member').parentElement?.textContent).toBe('Best member#0 env.LR 1')
})

it('the page of a group loads all pages of its members, and links those that have a job', async () => {
  const table = await show(makeGroup({ best: makeMember(0), problem: 'The queue is full.' }))
  expect(numbers(table)).toEqual(['#0best', '#1', '#2'])
  expect(within(table).getByRole('link', { name: '#1' }).getAttribute('href')).toMatch(/^\/jobs\/.*1$/)
  expect(within(table).queryByRole('link', { name: '#2' })).toBeNull()
  expect(screen.getByText(/The queue is full/)).toBeTruthy()
  expect(screen.getByText('1 of 3 ended')).toBeTruthy()
})

it('a problem of a group with paused members is not shown as its end', async () => {
  const paused = { ...group.counts, held: 0, paused: 1 }
  await show(makeGroup({ counts: paused, problem: 'The queue is full.' }))
  expect(screen.getByText('The next member cannot enter the queue')).toBeTruthy()
  expect(screen.queryByText('Cancelled')).toBeNull()
})

it('a group that waits for others says so, and a job can be submitted that starts after it', async () => {
  const problem = 'It waits for others. Waits for group lr: 3 of 9 ended.'
  const counts = { ...group.counts, held: 3, running: 0, completed: 0 }
  await show(makeGroup({ waits_for_others: true, problem, counts }))
  expect(screen.getAllByText('Waits for others')).toHaveLength(2)
  expect(screen.getByText(problem)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'New job after this group' }).getAttribute('href')).toBe(
    `/submit?after=${group.group_id}`,
  )
})

it('the page of a group downloads the files of all its members as one archive', async () => {
  await show()
  const link = screen.getByRole('link', { name: 'Download all' })
  expect(link.getAttribute('href')).toBe(`${path}/files.tar`)
  expect(link.hasAttribute('download')).toBe(true)
})

const unapproved = makeGroup({
  awaits_approval: true,
  problem: 'A person must approve it.',
  counts: { ...group.counts, held: 3, running: 0, completed: 0 },
})

it('a group that waits for an approval says so once, does not run, and takes no more members', async () => {
  await show(unapproved, 'the approval')
  expect(screen.getByText('the approval')).toBeTruthy()
  expect(screen.queryByText(/A person must approve it/)).toBeNull()
  expect(screen.getAllByText('Waits for approval')).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'Add members' })).toBeNull()
})

it('a reader who may not approve a group reads what it waits for', async () => {
  await show(unapproved)
  expect(screen.getByText('A person must approve it.')).toBeTruthy()
  expect(screen.queryByText(/gpuq tries again/)).toBeNull()
})

it('members are sorted by a heading and filtered by their status', async () => {
  const table = await show()
  fireEvent.click(within(table).getByRole('button', { name: 'lr' }))
  expect(numbers(table)).toEqual(['#2', '#1', '#0'])
  expect(within(table).getByRole('columnheader', { name: 'lr' }).ariaSort).toBe('descending')
  openByKeyboard(screen.getByRole('combobox', { name: 'Members with the status' }))
  fireEvent.keyDown(await screen.findByRole('option', { name: 'Held' }), { key: 'Enter' })
  await vi.waitFor(() => expect(numbers(table)).toEqual(['#2']))
})

it('the keyboard reads the members in the grid one after the other, and opens the job of one', async () => {
  await show()
  const grid = screen.getByRole('slider', { name: /Members of the group/ })
  expect(grid.getAttribute('aria-valuetext')).toBe('No member chosen')
  fireEvent.keyDown(grid, { key: 'ArrowRight' })
  expect(grid.getAttribute('aria-valuetext')).toBe('#0: lr 0.1. Completed, loss 1')
  fireEvent.keyDown(grid, { key: 'Enter' })
  expect(router.push).toHaveBeenCalledWith(`/jobs/${makeMember(0).job_id}`)
  fireEvent.keyDown(grid, { key: 'End' })
  expect(grid.getAttribute('aria-valuetext')).toBe('#2: lr 0.3. Held')
  router.push.mockClear()
  // It has no job yet.
  fireEvent.keyDown(grid, { key: 'Enter' })
  expect(router.push).not.toHaveBeenCalled()
})

it('a group is cancelled only after a confirmation that says what happens', async () => {
  answerWith({ [`POST ${path}/cancel`]: makeGroup({ status: 'cancelled' }) })
  await show()
  clickButton('Cancel group')
  const dialog = screen.getByRole('alertdialog', { name: 'Cancel this group?' })
  expect(dialog.textContent).toContain(
    'gpuq cancels 1 member that waits or runs, and 1 that the group holds.',
  )
  fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel group' }))
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(sentRequests.map(({ method }) => method)).toContain('POST')
})

it.each([
  [
    { pending: 1, running: 1, paused: 2, held: 3 },
    '2 members that wait or run, 2 that are paused, and 3 that the group holds.',
  ],
  [{ paused: 1, running: 0, held: 0 }, '1 member that is paused.'],
])('the dialog to cancel a group counts its members: %o', async (counts, text) => {
  await show(makeGroup({ counts: { ...group.counts, ...counts } }))
  clickButton('Cancel group')
  expect(screen.getByRole('alertdialog').textContent).toContain(`gpuq cancels ${text}`)
})

it('failed members run again only after a confirmation that says what it takes', async () => {
  const failed = makeGroup({ status: 'failed', counts: { ...group.counts, held: 0, failed: 1 }, gpus: 2 })
  const toasted = vi.spyOn(toast, 'success')
  answerWith({ [`POST ${path}/rerun-failed`]: group })
  await show(failed)
  clickButton('Run failed members again')
  const dialog = screen.getByRole('alertdialog', { name: 'Run 1 failed member again?' })
  expect(dialog.textContent).toContain(
    'It gets a new job with the same program and parameters. It takes 2 GPUs until it ends.',
  )
  fireEvent.click(within(dialog).getByRole('button', { name: 'Run again' }))
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(sentRequests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(toasted).toHaveBeenCalledWith('1 failed member runs again')
})

it('the note of a group is added, and what cannot be stored stays in its field', async () => {
  const answers = [new ApiProblem(503, { detail: 'The database is down.', code: 'unavailable' }), group]
  answerWith({ [`PATCH ${path}`]: () => answers.shift() })
  await show()
  clickButton('Add a note')
  typeInto('Note', ' Smaller rates win. ')
  clickButton('Save note')
  await screen.findByText('The database is down.')
  expect(screen.getByLabelText('Note')).toHaveProperty('value', ' Smaller rates win. ')
  answerWith({ [`GET ${path}`]: makeGroup({ note: 'Smaller rates win.' }) })
  clickButton('Save note')
  expect((await screen.findByRole('region', { name: 'Note' })).textContent).toBe('Smaller rates win.')
  expect(sentRequests.filter(({ method }) => method === 'PATCH').at(-1)?.body).toEqual({
    note: 'Smaller rates win.',
  })
})

it('a reader who may not change a group reads its note', async () => {
  answerWith({ [`GET ${path}`]: makeGroup({ note: 'Read me.' }), [`GET ${path}/members`]: page([]) })
  renderUi(<GroupView id={group.group_id} handle="bob" mayChange={false} />)
  expect(await screen.findByText('Read me.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Edit note' })).toBeNull()
})

it('a random search gets more samples, and a refusal is shown beside its field', async () => {
  const message = 'must be at most 100000'
  const answers = [
    new ApiProblem(422, {
      code: 'invalid_fields',
      detail: `samples: ${message}`,
      errors: [{ path: 'samples', message }],
    }),
    makeGroup({ members: 5 }),
  ]
  answerWith({ [`POST ${path}/extend`]: () => answers.shift() })
  await show(makeGroup({ status: 'completed', samples: 3 }))
  clickButton('Add members')
  const dialog = screen.getByRole('dialog', { name: 'Add members' })
  const samples = within(dialog).getByRole('textbox', { name: /Samples/ })
  const submit = () => fireEvent.click(within(dialog).getByRole('button', { name: 'Add members' }))
  submit()
  expect(await within(dialog).findByText('Enter more than 3.')).toBeTruthy()
  fireEvent.change(samples, { target: { value: '200000' } })
  submit()
  expect(await within(dialog).findByText(/at most 100000/)).toBeTruthy()
  fireEvent.change(samples, { target: { value: '5' } })
  submit()
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(sentRequests.filter(({ method }) => method === 'POST').at(-1)?.body).toEqual({
    samples: 5,
  })
})

it('the list has one row for each group, with its counts as text', async () => {
  answerWith({
    'GET /api/groups': [group, makeGroup({ group_id: group.group_id.replace('aa', 'bb'), name: null })],
  })
  renderUi(<GroupList admin={false} />)
  const table = await screen.findByRole('table', { name: 'Groups' })
  expect(within(table).getByRole('link', { name: 'baseline sweep' })).toBeTruthy()
  expect(within(table).getByRole('link', { name: 'Sweep 000000bb' })).toBeTruthy()
  expect(within(table).getAllByText('1 completed, 1 running, 1 held')).toHaveLength(2)
  expect(screen.queryByRole('radiogroup')).toBeNull()
})

it('an admin sees the groups of all users with their names', async () => {
  answerWith({ 'GET /api/groups': [group] })
  renderUi(<GroupList admin />)
  fireEvent.click(await screen.findByRole('radio', { name: 'All users' }))
  expect(await screen.findByRole('columnheader', { name: 'User' })).toBeTruthy()
  expect(sentRequests.at(-1)?.query.get('all')).toBe('true')
})

it('without groups the list says how to make one', async () => {
  answerWith({ 'GET /api/groups': [] })
  renderUi(<GroupList admin={false} />)
  expect(await screen.findByText('No groups yet')).toBeTruthy()
  expect(screen.getByText(/members of a wave/)).toBeTruthy()
  expect(screen.getByText(/gpuq sweep --with-dir --param/)).toBeTruthy()
})

it('the list of jobs leads to the groups that run, and is silent without one', async () => {
  answerWith({ 'GET /api/groups': [group] })
  const { container, unmount } = renderUi(<ActiveGroups everyone={false} />)
  expect((await screen.findByRole('link', { name: 'baseline sweep' })).getAttribute('href')).toBe(
    `/groups/${group.group_id}`,
  )
  expect(container.textContent).toContain('1 group runs: baseline sweep 1 of 3')
  unmount()
  const expensive = makeGroup({
    awaits_approval: true,
    group_id: group.group_id.replace('aa', 'bb'),
    name: 'expensive',
  })
  const later = makeGroup({
    waits_for_others: true,
    group_id: group.group_id.replace('aa', 'cc'),
    name: 'later',
  })
  answerWith({ 'GET /api/groups': [later, expensive, group] })
  const both = renderUi(<ActiveGroups everyone={false} />)
  await screen.findByRole('link', { name: 'expensive' })
  expect(both.container.textContent).toContain(
    '1 group runs: baseline sweep 1 of 3. 1 group waits for others: later 1 of 3. 1 group waits for an approval: expensive 1 of 3',
  )
  both.unmount()
  answerWith({ 'GET /api/groups': [] })
  const empty = renderUi(<ActiveGroups everyone={false} />)
  await vi.waitFor(() => expect(sentRequests).toHaveLength(3))
  expect(empty.container.querySelector('p')).toBeNull()
})
