import { readFile } from 'node:fs/promises'
import { type Download, expect, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { waitForHydration } from './hydration'
import { arriveAtJob, dropFiles, expectStatus, outputOf, submitDraft } from './job-page'
import { openBarrier, waitAtBarrier } from './program-barrier'
import { createUser } from './test-users'
import { expectToast } from './toasts'
import { configText, fileOf, longRunning } from './uploads'

const code = `
import json, sys
print("\\033[32mloading\\033[0m the data", flush=True)
${waitAtBarrier}
for name, accuracy in [("resnet", 0.93), ("vit", 0.95)]:
    print(json.dumps({"model": name, "accuracy": accuracy}))
print("a word on stderr", file=sys.stderr)
`

async function download(page: Page, what: string): Promise<{ download: Download; text: string }> {
  await page.getByRole('button', { name: 'Download' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: what }).click(),
  ])
  return { download, text: await readFile(await download.path(), 'utf8') }
}

test('sign in, submit by drop, watch the output, see the result, download it', async ({ page }) => {
  const person = await createUser({ name: 'main' })
  const submitted: string[] = []
  page.on('request', (request) => {
    if (/\/api\/submit(?!.*dry_run)/.test(request.url())) submitted.push(request.url())
  })

  await test.step('sign in', async () => {
    await page.goto('/submit')
    await expectNoSideScroll(page)
    await page.getByLabel('E-mail or user id').fill(person.email)
    await page.getByLabel('Password').fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/submit$/)
    await waitForHydration(page)
  })

  const id = await test.step('submit by drop', async () => {
    await expectNoSideScroll(page)
    await expectToast(page, 'The token was removed from the config', () =>
      dropFiles(page, [
        { name: 'solution.py', text: code },
        {
          name: 'config.yaml',
          text: configText({ name: 'the main flow', token: person.token, ...longRunning }),
        },
      ]),
    )
    await expect(page.getByText('Ready to submit')).toBeVisible()
    return submitDraft(page)
  })
  expect(submitted).toHaveLength(1)

  await test.step('the output comes while it runs', async () => {
    await expect(page.getByRole('heading', { name: 'the main flow' })).toBeVisible()
    await expect(outputOf(page)).toContainText('loading the data')
    await expectStatus(page, 'Running')
    await expectNoSideScroll(page)
    await openBarrier(id)
    await expectStatus(page, 'Completed')
    await expect(outputOf(page)).toContainText('a word on stderr')
  })

  await test.step('the result is a table', async () => {
    await page.getByRole('tab', { name: /Result/ }).click()
    const rows = page.getByRole('region', { name: 'Results', exact: true }).getByRole('row')
    await expect(rows).toHaveText([/model.*accuracy/, /resnet.*0\.93/, /vit.*0\.95/])
    await expect(page).toHaveURL(/tab=result/)
    await expectNoSideScroll(page)
  })

  await test.step('download the JSONL and the text', async () => {
    await page.getByRole('tab', { name: 'Output' }).click()
    await fileOf(person, id)
    const jsonl = await download(page, 'JSONL file')
    expect(jsonl.download.suggestedFilename()).toMatch(new RegExp(`^${person.handle}_e2e_.*\\.jsonl$`))
    const records = jsonl.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const types = records.map(({ type }) => type)
    expect([types.at(0), types.at(-1)]).toEqual(['job', 'exit'])
    expect(new Set(types)).toEqual(new Set(['job', 'stdout', 'stderr', 'result', 'exit']))
    expect(records.filter(({ type }) => type === 'result').map(({ data }) => data.model)).toEqual([
      'resnet',
      'vit',
    ])
    expect(records.at(-1)).toMatchObject({ status: 'completed', exit_code: 0 })
    expect(jsonl.text).not.toContain(person.token)
    const text = await download(page, 'Plain text')
    expect(text.text).toContain('\u001b[32mloading\u001b[0m the data\n')
    expect(text.text).toContain('a word on stderr\n')
  })

  await test.step('it is in the list', async () => {
    await page.goto('/jobs')
    await expectNoSideScroll(page)
    await page.getByRole('link', { name: 'the main flow' }).click()
    expect(await arriveAtJob(page)).toBe(id)
  })
})
