import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { test } from './browser-test'
import { expectUsable, wholePage } from './pages/usable'
import { runCli } from './run-cli'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { adminClient, createUser, noLimits, type TestUser } from './test-users'

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)

const config = (slug: string, endsIn: number) => `
slug: ${slug}
title: Copy the numbers of ${slug}
pages: [overview.md]
visibility: public
join: open
team_max: 3
terms: Share no data.
datasets:
  sample: {path: data/sample, role: sample}
  test: {path: data/test, role: input}
  truth: {path: data/truth, role: labels}
scorer:
  program: scorer
  command: python score.py
  outputs: [{path: copied.txt}]
  columns:
    acc: {split: public, digits: 3}
    priv: {split: private, digits: 3}
phases:
  - key: main
    title: Main round
    start: ${at(-1)}
    end: ${at(endsIn)}
    inputs: [test]
    labels: [truth]
    rehearse: sample
    run: {gpu_count: 0, max_time: 300}
    quota: {per_day: 5}
    select: {rule: best, by: acc}
    board: {rank: acc, final: priv}
`

const scorer = `
import json, os
right = open("/labels/truth/numbers.txt").read() == open("/outputs/copied.txt").read()
json.dump({"acc": float(right), "priv": right / 2}, open(os.environ["GPUQ_SCORES"], "w"))
`

const solution = `
print("copies the numbers")
open("/results/copied.txt", "w").write(open("/data/test/numbers.txt").read())
`

/** Publishes a competition from a directory, or changes when its phase ends. */
async function publish({ token }: TestUser, slug: string, endsIn: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gpuq-competition-'))
  const files = {
    'competition.yaml': config(slug, endsIn),
    'overview.md': '# Task\n\nCopy the **numbers**.\n\n<img src=x onerror="alert(1)">\n',
    'data/sample/numbers.txt': '1 2',
    'data/test/numbers.txt': '3 4 5',
    'data/truth/numbers.txt': '3 4 5',
    'scorer/score.py': scorer,
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(home, path, '..'), { recursive: true })
    await writeFile(join(home, path), content)
  }
  const env = { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: token }
  const created = await runCli(['competition', 'create', home], { home, env })
  expect(created).toMatchObject({ code: 0 })
  await rm(home, { recursive: true, force: true })
}

/** Sends a program from the open page of a competition. */
async function send(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: 'Submit' }).click()
  await page
    .getByLabel('Choose solution.py, or drop it here')
    .setInputFiles({ name: 'solution.py', mimeType: 'text/x-python', buffer: Buffer.from(solution) })
  await page.getByLabel('Name').fill(name)
}

test('a participant joins a competition in the browser, rehearses and submits, and everybody sees the rank', async ({
  page,
  context,
  watch,
}) => {
  const [host, participant] = [await createUser({ limits: noLimits }), await createUser()]
  await adminClient().users.update(host.handle, { may_host_competitions: true })
  const slug = `copy-${randomBytes(4).toString('hex')}`
  await publish(host, slug, 48)
  const title = `Copy the numbers of ${slug}`

  const visitor = await watch.openBrowser()
  await visitor.goto(`/competitions/${slug}`)
  await expect(visitor.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await expect(visitor.getByText('Copy the numbers.')).toBeVisible()
  await expect(visitor.locator('main img')).toHaveCount(0)
  await expect(visitor.getByRole('tab')).toHaveText(['Overview', 'Leaderboard'])
  await expectUsable(visitor, 'a competition without a login', wholePage)
  await visitor.getByRole('tab', { name: 'Leaderboard' }).click()
  await expect(visitor.getByText('No entry has a score yet')).toBeVisible()

  await signIn(context, participant)
  await page.goto('/competitions')
  await expectUsable(page, 'the list of competitions', wholePage)
  await page.getByRole('link', { name: title }).click()
  await page.getByLabel('Name of your team').fill('Tensors')
  await page.getByLabel('I accept these terms').check()
  await expectUsable(page, 'joining a competition', wholePage)
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByText('You take part')).toBeVisible()

  await send(page, 'rehearsal of mine')
  await page.getByRole('switch', { name: 'Rehearse' }).click()
  await expectUsable(page, 'a rehearsal before it is sent', wholePage)
  await page.getByRole('button', { name: 'Rehearse' }).click()
  const entries = page.getByRole('table', { name: 'Entries' })
  await expect(entries.getByText('Completed')).toBeVisible()
  await page.getByRole('button', { name: 'Actions of rehearsal of mine' }).click()
  await page.getByRole('menuitem', { name: 'Output' }).click()
  await expect(page.getByRole('region', { name: 'Output' })).toHaveText('copies the numbers')
  await page.keyboard.press('Escape')

  await send(page, 'first entry')
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await expect(entries.getByText('Scored', { exact: true })).toBeVisible()
  await expect(entries.getByRole('row', { name: /first entry/ })).toContainText('1.000')
  await expect(page.getByText('4 of 5')).toBeVisible()
  await expectUsable(page, 'the entries of a team', wholePage)
  await page.getByRole('button', { name: 'Actions of first entry' }).click()
  await expect(page.getByRole('menuitem', { name: 'Program' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Output' })).toHaveCount(0)
  await page.keyboard.press('Escape')

  await page.getByRole('tab', { name: 'Leaderboard' }).click()
  const board = page.getByRole('table', { name: 'Leaderboard' })
  await expect(board.getByRole('row', { name: /^1 .*Tensors you 1\.000/ })).toBeVisible()
  await expect(board.getByRole('columnheader', { name: /priv/ })).toHaveCount(0)
  await expectUsable(page, 'a leaderboard', wholePage)
  await page.getByRole('tab', { name: 'Team' }).click()
  await expect(page.getByRole('heading', { name: 'Tensors' })).toBeVisible()
  await expectUsable(page, 'a team', wholePage)

  // The visitor has not loaded the page again.
  const publicBoard = visitor.getByRole('table', { name: 'Leaderboard' })
  await expect(publicBoard.getByRole('row', { name: /^1 .*Tensors 1\.000/ })).toBeVisible()

  await context.clearCookies()
  await signIn(context, host)
  await page.goto(`/competitions/${slug}?tab=manage`)
  await expect(entries.getByRole('row', { name: /first entry/ })).toContainText('0.500')
  await expectUsable(page, 'the management of a competition', wholePage)
  // The phase ends now: an entry that came after its end would not be on the board.
  await publish(host, slug, 0)
  await page.reload()
  await page.getByRole('button', { name: 'Reveal results' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reveal' }).click()
  await expect(page.getByText('revealed')).toBeVisible()
  await expect(publicBoard.getByRole('columnheader', { name: /priv/ })).toBeVisible()
  await expectUsable(visitor, 'final results without a login', wholePage)
})
