import { expect, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { outputOf } from './job-page'
import { signIn } from './sign-in'
import { adminClient, cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** Every free text with wide characters and without a space, as long as it may be: no page becomes wider than the window. */

const wide = 'W'.repeat(100)
const longest = 'W'.repeat(200)
/** Ids are at most 64 characters long. */
const wideId = 'W'.repeat(64)

const program = `
import json, sys
text = "${wide}"
open("/results/" + text + ".csv", "w").write((text + ",") * 20 + "\\n" + (text + ",") * 20 + "\\n")
open("/results/README.md", "w").write("# " + text + "\\n\\n" + text + " \`" + text + "\`\\n")
print(text * 5)
print(text * 5, file=sys.stderr)
print(json.dumps({text: text, "value": 1}))`

const config = (more: Record<string, unknown> = {}) =>
  configText({
    name: longest,
    competition_id: wideId,
    project_id: wideId,
    tags: [wide.slice(0, 64)],
    args: [wide],
    env: { [wide]: wide },
    ...more,
  })

interface Scene {
  person: TestUser
  done: string
  waiting: string
}

let scene: Scene
test.beforeAll(async () => {
  const admin = adminClient()
  const person = await createUser({
    name: wideId.slice(0, 50),
    role: 'admin',
    limits: noLimits,
    token: { name: wide },
  })
  await admin.users.update(person.handle, { name: wide })
  const done = await submit(person, program, config(), { wait: true })
  const waiting = await submit(
    person,
    'print(1)',
    config({ gpu_count: 1, gpu_model: wide, run_name: wideId, notify_url: `https://example.org/${wide}` }),
  )
  await person.client.queue.submit({
    run_id: longest,
    name: longest,
    command: `echo ${wide}`,
    project_id: wideId,
    gpu_model: wide,
  })
  for (const project of (await person.client.projects.list()).items) {
    await person.client.projects.update(project.id, { name: wide, add_members: ['admin'] })
  }
  const name = `e2e-${wideId}`.slice(0, 64)
  const image = `${'w'.repeat(100)}:latest`
  await admin.environments.create({ name, image, description: wide }).catch(() => {})
  await admin.environments.update(name, { enabled: false })
  scene = { person, done, waiting }
})
test.afterAll(() => cancelAll(scene.person))

async function openFiles(page: Page): Promise<void> {
  for (const name of [`${wide}.csv`, 'README.md']) {
    await page.getByRole('button', { name, exact: true }).click()
    await expect(page.getByRole('region', { name: `Beginning of ${name}` })).toBeVisible()
  }
  await expect(page.getByRole('heading', { level: 3, name: wide })).toBeVisible()
}

interface LongView {
  path: string | ((scene: Scene) => string)
  /** Waits for the content, or opens a part of the page. */
  open?: (page: Page) => Promise<unknown>
}

const dialog = (button: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name: button }).first().click()
  await expect(page.getByRole('dialog').or(page.getByRole('menu')).first()).toBeVisible()
}

const views: Record<string, LongView> = {
  jobs: { path: '/jobs' },
  'filtered jobs': { path: `/jobs?project_id=${wideId}` },
  output: { path: ({ done }) => `/jobs/${done}`, open: (page) => expect(outputOf(page)).toContainText(wide) },
  result: {
    path: ({ done }) => `/jobs/${done}?tab=result`,
    open: (page) => expect(page.getByRole('region', { name: 'Results', exact: true })).toContainText('WWWW'),
  },
  files: { path: ({ done }) => `/jobs/${done}?tab=files`, open: openFiles },
  source: { path: ({ done }) => `/jobs/${done}?tab=source` },
  details: { path: ({ done }) => `/jobs/${done}?tab=details` },
  'a waiting job': { path: ({ waiting }) => `/jobs/${waiting}` },
  'its details': { path: ({ waiting }) => `/jobs/${waiting}?tab=details` },
  submit: { path: '/submit', open: (page) => expect(page.getByText('Your last job:')).toBeVisible() },
  'submit again': { path: ({ waiting }) => `/submit?from=${waiting}` },
  cluster: { path: '/cluster', open: (page) => expect(page.getByText(wide).first()).toBeAttached() },
  projects: { path: '/projects' },
  project: { path: '/projects', open: dialog(/^Manage/) },
  tokens: { path: '/tokens' },
  settings: { path: '/settings' },
  'all jobs': { path: '/admin/jobs' },
  users: { path: '/admin/users' },
  'all tokens': { path: '/admin/tokens' },
  'all projects': { path: '/admin/projects' },
  environments: { path: '/admin/environments' },
  buckets: { path: '/admin/buckets' },
  health: { path: '/admin/health' },
  policy: { path: '/admin/policy' },
  'audit log': { path: '/admin/audit' },
}

test.describe.configure({ mode: 'parallel' })
for (const [name, { path, open }] of Object.entries(views)) {
  test(`long texts fit the page: ${name}`, async ({ page, context }) => {
    await signIn(context, scene.person)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(typeof path === 'string' ? path : path(scene))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.getByRole('status').getByText('Loading').first().waitFor({ state: 'hidden' })
      await open?.(page)
      await expectNoSideScroll(page)
      await page.screenshot({ path: `test-results/long-texts/${name}-${width}.png`, animations: 'disabled' })
    }
  })
}
