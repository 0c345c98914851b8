import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { expectProblem } from './expect-problem'
import { bearer, call } from './http-call'
import { type Ended, runCli } from './run-cli'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, sendParts } from './uploads'

/** Snapshots: pushed with `gpuq`, used by jobs, and managed on their page. */

const pictures = join(import.meta.dirname, '..', 'test-results', 'views')
const projectName = 'thesis'

let home: string
let [person, admin, other] = [] as unknown as [TestUser, TestUser, TestUser]
let projectId: string

const gpuq = (args: string[], who = person): Promise<Ended> =>
  runCli(args, { home, env: { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: who.token } })

/** Writes a directory and pushes it. */
async function push(name: string, files: Record<string, string>): Promise<Ended> {
  const directory = await mkdtemp(join(home, 'pushed-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  return gpuq(['push', directory, '--name', name, '--project', projectName])
}

const train = (epochs: number) => `from src.model import answer\nprint(answer * ${epochs})\n`

test.beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-snapshots-'))
  ;[person, admin, other] = [
    await createUser({ name: 'pushes', limits: noLimits }),
    await createUser({ name: 'shares', role: 'admin', token: { scopes: ['submit', 'read', 'admin'] } }),
    await createUser({ name: 'uses', limits: noLimits }),
  ]
  const model = { 'src/model.py': 'answer = 21\n', 'notes.txt': 'first\n' }
  expect(await push('code', { ...model, 'main.py': train(1) })).toMatchObject({ code: 0, out: 'code@1\n' })
  expect(await push('data/cifar10', { 'labels.csv': '1,2\n'.repeat(5000) })).toMatchObject({
    out: 'data/cifar10@1\n',
  })
  const { 'notes.txt': _, ...rest } = model
  const second = { ...rest, 'main.py': train(2), 'a-rather-long-name-of-a-module-for-the-experiment.py': '' }
  expect(await push('code', second)).toMatchObject({ code: 0, out: 'code@2\n' })
  const again = await push('code', second)
  expect(again).toMatchObject({ code: 0, out: 'code@2\n' })
  expect(again.err).toContain('nothing sent')
  expect(again.err).toContain('code@2 has the same content: no new version')
  const [project] = (await person.client.projects.list({ project_id: projectName })).items
  projectId = project?.id ?? ''
})
test.afterAll(() => rm(home, { recursive: true, force: true }))

async function run(archive: string, who = person) {
  const config = configText({ project_id: projectName, archive })
  return sendParts(who, [{ name: 'config_file', content: config, filename: 'config.yaml' }], { query: '' })
}

test('a job runs in a copy of a snapshot and keeps its version', async ({ page, context }) => {
  const first = JSON.parse((await run('code@1')).text) as { job_id: string; stdout: string }
  expect(first.stdout).toBe('21\n')
  const newest = JSON.parse((await run('code')).text) as { job_id: string; stdout: string }
  expect(newest.stdout).toBe('42\n')
  expect(await person.client.jobs.get(newest.job_id)).toMatchObject({ snapshot: 'code@2' })
  await signIn(context, person)
  await page.goto(`/jobs/${newest.job_id}?tab=details`)
  await expect(page.getByText('code@2', { exact: true })).toBeVisible()
  expectProblem(await run('cdoe'), 422, /has no snapshot cdoe\. Did you mean code\?/)
  expectProblem(await run('code@9'), 422, /code has the versions 2, 1/)
})

test('the command line lists, compares and downloads', async () => {
  const listed = await gpuq(['snapshots', '--project', projectName])
  expect(listed.out).toMatch(/code@2 .*\n.*data\/cifar10@1/)
  expect((await gpuq(['snapshots', 'list', 'code', '--project', projectName])).out).toMatch(
    /code@2.*\n.*code@1/,
  )
  const compared = await gpuq(['snapshots', 'compare', 'code@1', 'code', '--project', projectName])
  expect(compared.out).toContain('- notes.txt  6 B\n')
  expect(compared.out).toMatch(/~ main\.py {2}47 B → 47 B/)
  const into = join(home, 'into')
  expect(await gpuq(['snapshots', 'download', 'code@1', into, '--project', projectName])).toMatchObject({
    code: 0,
  })
  expect((await readdir(into)).sort()).toEqual(['main.py', 'notes.txt', 'src'])
  expect(await readFile(join(into, 'main.py'), 'utf8')).toBe(train(1))
  const tar = join(home, 'code.tar')
  await gpuq(['snapshots', 'download', 'code', '-o', tar, '--project', projectName])
  expect((await readFile(tar)).includes('src/model.py')).toBe(true)
  const refused = await gpuq(['snapshots', 'delete', 'code', '--project', projectName])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('all 2 versions of code') })
})

const openVersions = async (page: Page, name: string) => {
  await page.goto('/projects')
  await page.getByRole('link', { name: `Snapshots of ${projectName}` }).click()
  await page.getByRole('link', { name: new RegExp(`^${name}@`) }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

for (const [width, scheme] of [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const) {
  test(`the pages show names, versions and changes at ${width} pixels, ${scheme}`, async ({
    page,
    context,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme })
    await signIn(context, person)
    await page.goto(`/projects/${projectId}/snapshots`)
    await expect(page.getByRole('link', { name: 'data/cifar10@1', exact: true })).toBeVisible()
    await expectNoSideScroll(page)
    await page.screenshot({ path: join(pictures, `snapshots-${width}-${scheme}.png`), fullPage: true })
    await openVersions(page, 'code')
    const changes = page.getByRole('table', { name: 'Changed files' })
    await expect(changes.getByText('notes.txt')).toBeVisible()
    await expectNoSideScroll(page)
    await page.screenshot({
      path: join(pictures, `snapshot-versions-${width}-${scheme}.png`),
      fullPage: true,
    })
  })
}

test('a version is downloaded in the browser', async ({ page, context }) => {
  await signIn(context, person)
  await openVersions(page, 'code')
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download code@1' }).click()
  expect((await downloading).suggestedFilename()).toBe('code-1.tar')
})

test('an admin shares a version with everyone, and stops sharing it', async ({ page, context }) => {
  await signIn(context, admin)
  await page.goto(`/projects/${projectId}/snapshots/code`)
  await page.getByRole('button', { name: 'Share… code@1' }).click()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(page.getByText('shared', { exact: true })).toBeVisible()
  expect(JSON.parse((await run('code', other)).text)).toMatchObject({ stdout: '21\n' })
  const [mine] = (await other.client.projects.list({ project_id: projectName })).items
  const seen = await other.client.snapshots.list(mine?.id ?? '')
  expect(seen.items).toMatchObject([{ name: 'code', version: 1, own: false, created_by: null }])
  const deletion = await gpuq(['snapshots', 'delete', 'code@1', '--yes', '--project', projectName])
  expect(deletion).toMatchObject({ code: 1, err: expect.stringContaining('is shared with everyone') })
  const stop = ['snapshots', 'unshare', 'code', '--project', `${person.handle}/${projectName}`]
  expect(await gpuq(stop, admin)).toMatchObject({ code: 0, err: 'code@1 is no longer shared.\n' })
  expectProblem(await run('code', other), 422, /has no snapshot code/)
  const refused = await call(`/api/projects/${projectId}/snapshots`, { headers: bearer(other.token) })
  expectProblem(refused, 404)
})

test('versions are deleted after a confirmation, and the empty page says how to push', async ({
  page,
  context,
}) => {
  await push('data/cifar10', { 'labels.csv': 'changed\n' })
  await signIn(context, person)
  await openVersions(page, 'data/cifar10')
  await page.getByRole('button', { name: 'Delete data/cifar10@1' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('row', { name: /cifar10@1/ })).toHaveCount(0)
  await expect(page.getByRole('row', { name: /cifar10@2/ })).toBeVisible()
  await page.getByRole('button', { name: 'Delete all versions…' }).click()
  await page.getByRole('button', { name: 'Delete all versions', exact: true }).click()
  await page.waitForURL(`**/projects/${projectId}/snapshots`)
  await expect(page.getByRole('link', { name: /^code@/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /cifar10@/ })).toHaveCount(0)
  await person.client.snapshots.removeAll(projectId, { name: 'code' })
  await page.reload()
  await expect(page.getByText(`gpuq push DIR --name code --project ${projectName}`)).toBeVisible()
  await page.screenshot({ path: join(pictures, 'snapshots-empty.png'), fullPage: true })
})
