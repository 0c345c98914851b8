import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { makeJobSummary } from '../../../testing/fixtures'
import { router } from '../../../testing/navigation'
import {
  ApiProblem,
  answerWith,
  clickButton,
  openByKeyboard,
  renderUi,
  sentRequests,
  typeInto,
} from '../../../testing/render'
import { filesOfFolder, stubUploads } from '../../../testing/uploads'
import { readFieldInfos } from '../../editor/field-infos'
import { SubmitView } from '../submit-view'

vi.mock('next/navigation', () => import('../../../testing/navigation'))

const config = 'competition_id: c\nproject_id: p\nexpected_time: 300\n'
const archive = 'ab'.repeat(32)
const project = {
  '.gitignore': '*.ckpt\n',
  'main.py': 'import model\n',
  'src/model.py': 'x = 1\n',
  'weights.ckpt': 'w'.repeat(2048),
  '.git/config': 'x',
}

beforeEach(() => {
  router.push.mockClear()
  stubUploads()
  answerWith({
    'GET /api/jobs': [makeJobSummary()],
    'GET /api/environments': [],
    'GET /api/archives': { max_bytes: 1_000_000, max_entries: 100 },
    'POST /api/submit': { job_id: 'new-job', status: 'pending' },
  })
})

function openPage(draft = { config, code: '' }): void {
  renderUi(<SubmitView handle="ada" infos={readFieldInfos()} start={draft} />)
}

async function chooseFolder(texts: Record<string, string> = project): Promise<void> {
  const files = filesOfFolder('project', texts)
  fireEvent.change(screen.getByLabelText('Folder'), { target: { files } })
  await screen.findByRole('heading', { name: /^Directory/ })
}

/** The server lacks everything at first, and has everything after the contents were sent. */
function acceptUpload(): void {
  let sent = false
  answerWith({
    'POST /api/archives': ({ body }: { body: unknown }) => {
      const { entries } = body as { entries: { sha256: string }[] }
      return { archive, missing: sent ? [] : entries.map(({ sha256 }) => sha256) }
    },
    'POST /api/archives/blobs': () => {
      sent = true
      return { stored: 1 }
    },
  })
}

const requestsTo = (path: string) => sentRequests.filter((request) => request.path === path)
const openMenu = async (name: string) => openByKeyboard(await screen.findByRole('button', { name }))

describe('a folder', () => {
  it('is shown with its sizes, what is excluded and why, and the file that runs', async () => {
    openPage()
    await chooseFolder()
    expect(screen.getByText('3 files, 26 B; the job finds them in /work')).toBeTruthy()
    expect(screen.getByRole('combobox', { name: 'File to run' }).textContent).toContain('main.py')
    expect(await screen.findByRole('textbox', { name: 'main.py' })).toBeTruthy()
    const excluded = screen.getByRole('list', { name: 'Not uploaded', hidden: true })
    expect(within(excluded).getByText('default rule: .git (1 file, 1 B)')).toBeTruthy()
    expect(within(excluded).getByText('.gitignore, line 1: *.ckpt (2.0 KiB)')).toBeTruthy()
  })

  it('is uploaded and submitted', async () => {
    acceptUpload()
    openPage()
    await chooseFolder()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/new-job'))
    const [first] = requestsTo('/api/archives').filter(({ method }) => method === 'POST')
    expect(first?.body).toMatchObject({
      project_id: 'p',
      entries: [{ path: '.gitignore' }, { path: 'main.py', bytes: 13 }, { path: 'src/model.py' }],
    })
    expect(requestsTo('/api/archives/blobs')).toHaveLength(1)
    expect(requestsTo('/api/submit')).toHaveLength(1)
  })

  it('brings its config, without the token', async () => {
    openPage({ config: '', code: '' })
    await chooseFolder({ 'main.py': '', 'config.yaml': `${config}name: dropped\ntoken: gpuq_abcdefgh\n` })
    expect(await screen.findByText(/The token was removed/)).toBeTruthy()
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'dropped')
    const excluded = screen.getByRole('list', { name: 'Not uploaded', hidden: true })
    expect(excluded.textContent).toContain('config.yamlIt is the config of the job')
  })

  it('keeps a config.yaml of the program', async () => {
    openPage()
    await chooseFolder({ 'main.py': '', 'config.yaml': 'learning_rate: 0.1\n' })
    expect(screen.getByRole('button', { name: 'Edit config.yaml' })).toBeTruthy()
  })

  it('a folder without a file to run is a problem at the field that selects it', async () => {
    openPage()
    await chooseFolder({ 'src/train.py': '' })
    await screen.findByText('1 problem to fix')
    clickButton('Submit job')
    const field = screen.getByRole('combobox', { name: 'File to run' })
    expect(document.activeElement).toBe(field)
    const isDryRun = (path: string) => path.endsWith('dry_run=true')
    expect(sentRequests.filter(({ method, path }) => method === 'POST' && !isDryRun(path))).toEqual([])
    clickDirectory(/^src/)
    await openMenu('Actions for src/train.py')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Run this file' }))
    await screen.findByText('Ready to submit')
    expect(screen.getByRole('textbox', { name: 'config.yaml' }).textContent).toContain('src/train.py')
  })

  it('over the limits is refused before the upload', async () => {
    answerWith({ 'GET /api/archives': { max_bytes: 20, max_entries: 2 } })
    openPage()
    await chooseFolder()
    expect((await screen.findByText(/The limit is 20 B/)).textContent).toContain('main.py (13 B)')
    expect(screen.getByText(/The directory has 3 files. The limit is 2/)).toBeTruthy()
    clickButton('Submit job')
    const isDryRun = (path: string) => path.endsWith('dry_run=true')
    expect(sentRequests.filter(({ method, path }) => method === 'POST' && !isDryRun(path))).toEqual([])
  })

  it('leaves the program in the editor as it was when it is removed', async () => {
    openPage({ config, code: 'print("kept")\n' })
    await chooseFolder()
    clickButton('Remove directory')
    expect(screen.getByRole('textbox', { name: 'solution.py' }).textContent).toContain('kept')
    expect(screen.queryByRole('heading', { name: /^Directory/ })).toBeNull()
  })
})

function clickDirectory(name: RegExp): void {
  fireEvent.click(screen.getByRole('button', { name }))
}

describe('files', () => {
  it('are added, renamed and removed', async () => {
    openPage()
    await chooseFolder({ 'main.py': '' })
    clickButton('New file')
    typeInto('Path', 'main.py')
    clickButton('Add file')
    expect(await screen.findByText('This path is the path of another file.')).toBeTruthy()
    typeInto('Path', 'notes.txt')
    clickButton('Add file')
    expect(await screen.findByRole('textbox', { name: 'notes.txt' })).toBeTruthy()
    await openMenu('Actions for notes.txt')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Rename…' }))
    typeInto('Path', 'docs.txt')
    clickButton('Rename')
    expect(await screen.findByRole('textbox', { name: 'docs.txt' })).toBeTruthy()
    await openMenu('Actions for docs.txt')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Edit docs.txt' })).toBeNull())
    expect(screen.queryByRole('textbox', { name: 'docs.txt' })).toBeNull()
  })

  it('files that are dropped join the program in the editor', async () => {
    openPage({ config, code: 'import helper\n' })
    const files = [new File(['x = 1'], 'helper.py'), new File(['1,2'], 'data.csv')]
    fireEvent.change(screen.getByLabelText(/^Drop a folder/), { target: { files } })
    await screen.findByRole('heading', { name: 'Directory' })
    for (const name of ['solution.py', 'helper.py', 'data.csv'])
      expect(screen.getByRole('button', { name: `Edit ${name}` })).toBeTruthy()
    expect((await screen.findByRole('textbox', { name: 'solution.py' })).textContent).toContain(
      'import helper',
    )
  })

  it('files that are not text are not opened', async () => {
    openPage()
    const files = [new File(['x'], 'main.py'), new File([new Uint8Array([0, 1, 255])], 'a.bin')]
    fireEvent.change(screen.getByLabelText(/^Drop a folder/), { target: { files } })
    fireEvent.click(await screen.findByRole('button', { name: 'Edit a.bin' }))
    expect(await screen.findByText(/a.bin is not UTF-8 text/)).toBeTruthy()
  })
})

describe('an upload', () => {
  it('is cancelled, and the draft stays as it was', async () => {
    answerWith({ 'POST /api/archives': () => new Promise(() => {}) })
    openPage()
    await chooseFolder()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel upload' }))
    expect(await screen.findByText('The upload was cancelled. No job was submitted.')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: /Submit job/ }))
    await screen.findByText('Ready to submit')
    expect(screen.getByRole('heading', { name: /^Directory/ })).toBeTruthy()
    expect(screen.getByRole('textbox', { name: 'config.yaml' }).textContent).not.toContain('archive')
    expect(requestsTo('/api/submit')).toEqual([])
  })

  it('an upload that breaks off says so, and goes on', async () => {
    acceptUpload()
    let attempts = 0
    answerWith({
      'POST /api/archives/blobs': () => {
        if (++attempts === 1) throw new Error('the connection broke')
        answerWith({ 'POST /api/archives': { archive, missing: [] } })
        return { stored: 3 }
      },
    })
    openPage()
    await chooseFolder()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    expect(await screen.findByText(/The connection is broken. The upload continues/)).toBeTruthy()
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/new-job'))
    expect(attempts).toBe(2)
  })

  it('does not begin for a job that would be refused', async () => {
    const detail = 'This job cannot start: no node is large enough.'
    answerWith({ 'POST /api/submit/check': new ApiProblem(422, { detail, code: 'never_fits' }) })
    openPage()
    await chooseFolder()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    await screen.findByText(detail)
    expect(requestsTo('/api/archives').map(({ method }) => method)).not.toContain('POST')
    expect(requestsTo('/api/submit')).toEqual([])
  })

  it('an upload whose submission got no answer is not checked again: its job may exist, and count towards a limit', async () => {
    acceptUpload()
    answerWith({ 'POST /api/submit': new ApiProblem(503, { detail: 'Away.', code: 'unavailable' }) })
    openPage()
    await chooseFolder()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    await screen.findByText('Away.')
    answerWith({ 'POST /api/submit': { job_id: 'new-job', status: 'pending' } })
    clickButton('Submit job')
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/new-job'))
    expect(requestsTo('/api/submit/check')).toHaveLength(1)
  })

  it('an upload that the server refuses shows why, and submits nothing', async () => {
    answerWith({
      'POST /api/archives': new ApiProblem(403, { detail: 'The storage quota is used up.', code: 'quota' }),
    })
    openPage()
    await chooseFolder()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    expect(await screen.findByText('The storage quota is used up.')).toBeTruthy()
    expect(requestsTo('/api/submit')).toEqual([])
  })
})
