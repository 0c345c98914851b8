import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectAccessible, expectFits } from './pages/usable'
import { signIn } from './sign-in'
import { createUser, noLimits } from './test-users'
import { configText, submit } from './uploads'

/** The results of a project, and a link to some of them. */

/** Prints a loss, and writes a picture of one pixel. */
const program = `
import base64, json, sys
print(json.dumps({"loss": float(sys.argv[1]), "hidden_metric": 77}))
picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
open("/results/plot.png", "wb").write(base64.b64decode(picture))
`

test('a user groups the results of a project, and people without an account see what a link shows', async ({
  page,
  context,
  watch,
}) => {
  watch.tolerate(/status of 404/)
  const person = await createUser({ name: 'results', limits: noLimits })
  const run = (lr: string, loss: string) =>
    submit(
      person,
      program,
      configText({ name: `hidden name ${loss}`, project_id: 'sweep', tags: [`lr=${lr}`], args: [loss] }),
      { wait: true },
    )
  const ids = [await run('0.1', '0.5'), await run('0.1', '0.3'), await run('0.2', '0.25')]
  const [project] = (await person.client.projects.list()).items
  await signIn(context, person)
  await page.goto(`/projects/${project?.id}?metrics=loss&group=tag.lr&columns=status,pictures`)
  const groups = page.getByRole('table', { name: 'Groups by Tag lr' })
  await expect(groups.getByRole('row', { name: /0\.1 2 0\.4 \(0\.3 to 0\.5\)/ })).toBeVisible()
  await expect(groups.getByRole('row', { name: /0\.2 1 best ?0\.25/ })).toBeVisible()
  await page.getByRole('button', { name: 'Select my jobs' }).click()
  await page.getByRole('button', { name: 'Share read-only…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share results read-only' })
  for (const name of ['Name', 'Status']) await dialog.getByRole('checkbox', { name, exact: true }).uncheck()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const url = (await dialog.getByRole('region', { name: 'link', exact: true }).textContent()) ?? ''
  expect(url).toMatch(/\/shared\/results\/[\w-]{43}$/)
  await expectAccessible(page, 'the dialog with a new link')

  const visitor = await watch.openBrowser()
  await visitor.goto(url)
  await expect(visitor.getByRole('heading', { level: 1, name: 'Results' })).toBeVisible()
  await expect(visitor.getByRole('row', { name: /0\.1 2 0\.4 \(0\.3 to 0\.5\)/ })).toBeVisible()
  await visitor.getByRole('button', { name: 'Open plot.png' }).first().click()
  const picture = visitor.getByRole('dialog', { name: 'plot.png' }).getByRole('img', { name: 'plot.png' })
  await expect(picture).toHaveJSProperty('naturalWidth', 1)
  await visitor.keyboard.press('Escape')
  await expectFits(visitor, 'shared results')
  await expectAccessible(visitor, 'shared results')
  const content = await visitor.content()
  for (const hidden of [...ids, person.handle, 'hidden name', 'hidden_metric', 'sweep', 'Completed'])
    expect(content).not.toContain(hidden)
  await expect(visitor.locator('meta[name="robots"]')).toHaveAttribute('content', /noindex/)

  await dialog.getByRole('button', { name: /^Revoke the link/ }).click()
  await expect(dialog.getByText('None. A link that has expired is not listed.')).toBeVisible()
  expect((await visitor.goto(url))?.status()).toBe(404)
  await expect(visitor.getByText('This link is not valid')).toBeVisible()
})
