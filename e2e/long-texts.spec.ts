import { expect, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { outputOf } from './job-page'
import { adminClient, cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** Every free text with wide characters and without a space, as long as it may be: no page becomes wider than the window. Without the variable CI it also takes pictures. */

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
  /** The path of a read-only link to the job that is done. */
  shared: string
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
  const { url } = await person.client.shares.create(done, { expires_in_days: 1, files: true, source: true })
  scene = { person, done, waiting, shared: new URL(url).pathname }
})
test.afterAll(() => cancelAll(scene.person))

async function openFiles(page: Page): Promise<void> {
  const open = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await open(`${wide}.csv`)
  await expect(page.getByRole('grid')).toBeVisible()
  await open('README.md')
  await expect(page.getByRole('heading', { level: 3, name: wide })).toBeVisible()
}

interface LongView {
  path: string | ((scene: Scene) => string)
  /** Waits for the content, or opens a part of the page. */
  open?: (page: Page) => Promise<unknown>
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
  metrics: { path: ({ done }) => `/jobs/${done}?tab=metrics` },
  compared: { path: ({ done, waiting }) => `/jobs/compare?ids=${done},${waiting}` },
  'shared job': { path: ({ shared }) => shared },
  'a waiting job': { path: ({ waiting }) => `/jobs/${waiting}` },
  'its details': { path: ({ waiting }) => `/jobs/${waiting}?tab=details` },
  submit: { path: '/submit', open: (page) => expect(page.getByText('Your last job:')).toBeVisible() },
  'submit again': { path: ({ waiting }) => `/submit?from=${waiting}` },
  cluster: { path: '/cluster', open: (page) => expect(page.getByText(wide).first()).toBeAttached() },
  projects: { path: '/projects' },
  project: {
    path: '/projects',
    open: async (page) => {
      await page.getByRole('row').last().getByRole('link').first().click()
      await expect(page.getByRole('heading', { level: 2, name: 'Settings' })).toBeVisible()
    },
  },
  accounting: { path: '/accounting?by=project' },
  tokens: { path: '/tokens' },
  settings: { path: '/settings' },
  announcement: { path: '/admin/announcement' },
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

for (const [name, { path, open }] of Object.entries(views)) {
  test(`long texts fit the page: ${name}`, async ({ visit }) => {
    const page = await visit(scene.person)
    await page.setViewportSize({ width: 1280, height: 844 })
    await page.goto(typeof path === 'string' ? path : path(scene))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.getByRole('status').getByText('Loading').first().waitFor({ state: 'hidden' })
    await open?.(page)
    for (const width of [1280, 390, 360]) {
      await page.setViewportSize({ width, height: 844 })
      await expectNoSideScroll(page, `${name} at ${width} px`)
      const picture = `test-results/long-texts/${name}-${width}.png`
      if (!process.env.CI) await page.screenshot({ path: picture, animations: 'disabled' })
    }
  })
}
