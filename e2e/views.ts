import { expect, type Page } from '@playwright/test'
import { dropFiles, dropPaths, editorOf, expectStatus, outputOf, rewrite } from './job-page'
import { writeProject } from './project-folder'
import { adminClient, cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit, waitingConfig } from './uploads'

/** Every view of gpuq, with realistic data. */

export interface Scene {
  admin: TestUser
  newcomer: TestUser
  jobs: Record<'done' | 'failed' | 'waiting' | 'running', string>
  invitation: string
  /** The paths of read-only links. */
  shared: Record<'done' | 'running' | 'results', string>
  joinLink: string
  /** The id of a class. */
  course: string
}

const training = `
import json, sys
print("\\033[1mTraining\\033[0m on \\033[36m50,000\\033[0m images")
for epoch in range(1, 31):
    print(f"epoch {epoch:>2}  \\033[32mloss {1.8 / epoch:.4f}\\033[0m  lr 0.001")
    print(json.dumps({"epoch": epoch, "loss": round(1.8 / epoch, 4), "accuracy": round(1 - 0.6 / epoch, 4)}))
print("\\033[33mwarning:\\033[0m 3 images could not be read", file=sys.stderr)
`

/** Creates the data that the views show. */
export async function setScene(): Promise<Scene> {
  const admin = await createUser({ name: 'grace', role: 'admin', limits: noLimits })
  const newcomer = await createUser({ name: 'newcomer' })
  const named = (name: string, more: Record<string, unknown> = {}) =>
    configText({
      name,
      competition_id: 'cifar10',
      project_id: 'resnet-baseline',
      tags: ['baseline', 'v2'],
      ...more,
    })
  const [done, failed, waiting, running] = await Promise.all([
    submit(admin, training, named('ResNet-50, first baseline'), { wait: true }),
    submit(admin, 'import nothing_of_the_kind', named('with a typo'), { wait: true }),
    submit(admin, 'print(1)', `${waitingConfig}name: "a model that is far too large"\n`),
    submit(
      admin,
      'import time\nprint("epoch 1", flush=True)\ntime.sleep(3600)',
      named('a long one', longRunning),
    ),
  ])
  const project = (await admin.client.projects.list()).items.find(
    ({ project_id }) => project_id === 'resnet-baseline',
  )
  if (project) {
    await admin.client.projects.update(project.id, { name: 'The baseline', add_members: [newcomer.handle] })
    for (const { id } of await newcomer.client.projectInvitations.list()) {
      await newcomer.client.projectInvitations.answer(id, { accept: true })
    }
    await pushSnapshots(admin, project.id)
    await admin.client.projectBoards.update(project.id, { metric: 'loss', goal: 'min' })
  }
  await admin.client.tokens.create({ name: 'laptop', expires_in_days: 30 })
  const { invitation_url } = await adminClient().users.create({ user_id: `${admin.handle}-guest` })
  const share = async (id: string) => {
    const { url } = await admin.client.shares.create(id, { expires_in_days: 1, files: true, source: true })
    return new URL(url).pathname
  }
  const results = await admin.client.results.share(project?.id ?? '', {
    title: 'Baselines',
    job_ids: [done, failed],
    columns: ['name', 'status', 'run_time'],
    metrics: ['loss', 'accuracy'],
    group_by: 'config.name',
    expires_in_days: 1,
  })
  const shared = {
    done: await share(done),
    running: await share(running),
    results: new URL(results.url).pathname,
  }
  const link = project && (await adminClient().joinLinks.create(project.id, { new_accounts: true }))
  return {
    admin,
    newcomer,
    jobs: { done, failed, waiting, running },
    invitation: invitation_url ?? '',
    shared,
    joinLink: link?.url ?? '',
    course: await makeClass(admin),
  }
}

/** Two versions that differ, under a name with two parts. They have only links, so no content must be sent. */
async function pushSnapshots({ client }: TestUser, projectId: string): Promise<void> {
  for (const path of ['train.py', 'src/train.py']) {
    const entries = [{ path, target: 'model.py' }]
    const { archive } = await client.archives.register({ project_id: 'resnet-baseline', entries })
    await client.snapshots.create(projectId, { name: 'code/training', archive })
  }
}

/** Makes a class with a participant who has a job, and one who has not agreed to anything. Returns its id. */
async function makeClass(owner: TestUser): Promise<string> {
  const [student, silent] = [await createUser({ name: 'student' }), await createUser({ name: 'silent' })]
  const { id } = await adminClient().projects.create({
    project_id: 'class-2026',
    kind: 'class',
    owner: owner.handle,
    members: [student.handle],
  })
  for (const { id: invitation } of await student.client.projectInvitations.list())
    await student.client.projectInvitations.answer(invitation, { accept: true, agree_to: 'class' })
  const config = configText({ name: 'first try', competition_id: 'exercise-1', project_id: 'class-2026' })
  await submit(student, training, config, { wait: true })
  const csv = `user_id,projects\n${silent.handle},${owner.handle}/class-2026`
  await adminClient().users.import({ csv, dry_run: false })
  return id
}

/** Cancels the jobs that would keep running. */
export function clearScene({ admin }: Scene): Promise<void> {
  return cancelAll(admin)
}

export interface View {
  name: string
  /** The signed-in user. Undefined: no session. */
  as?: 'admin' | 'newcomer'
  open: (page: Page, scene: Scene) => Promise<void>
}

/** A page that shows its content under a heading. */
const at = (path: string, heading: string | RegExp) => async (page: Page) => {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
}

async function openResult(page: Page, { jobs }: Scene, view: string): Promise<void> {
  await page.goto(`/jobs/${jobs.done}?tab=result`)
  await page.getByRole('region', { name: 'Results', exact: true }).getByRole('radio', { name: view }).click()
}

async function openDialog(page: Page, path: string, button: string | RegExp): Promise<void> {
  await page.goto(path)
  await page.getByRole('button', { name: button }).first().click()
  await expect(
    page.getByRole('dialog').or(page.getByRole('alertdialog')).or(page.getByRole('menu')),
  ).toBeVisible()
}

async function openProject(page: Page): Promise<void> {
  await page.goto('/projects')
  await page.getByRole('link', { name: 'resnet-baseline', exact: true }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Settings' })).toBeVisible()
}

async function openSnapshots(page: Page): Promise<void> {
  await page.goto('/projects')
  await page.getByRole('link', { name: 'Snapshots of resnet-baseline' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Snapshots' })).toBeVisible()
}

const doors: View[] = [
  { name: 'sign-in', open: at('/sign-in', 'Sign in') },
  { name: 'sign-in-refused', open: at('/sign-in?error=AccessDenied', 'Sign in') },
  { name: 'invitation', open: (page, { invitation }) => at(new URL(invitation).pathname, /Welcome/)(page) },
  { name: 'join', open: (page, { joinLink }) => at(new URL(joinLink).pathname, /Join/)(page) },
  { name: 'join-refused', open: at('/join/none', 'Join a project') },
  { name: 'invitation-used', open: at('/invitations/none', 'Invitation') },
]

/** Without an account. */
const sharedViews: View[] = [
  { name: 'shared-job', open: (page, { shared }) => at(shared.done, 'ResNet-50, first baseline')(page) },
  { name: 'shared-results', open: (page, { shared }) => at(shared.results, 'Baselines')(page) },
  {
    name: 'shared-job-running',
    open: async (page, { shared }) => {
      await page.goto(shared.running)
      await expect(outputOf(page)).toContainText('epoch 1')
    },
  },
]

const docsViews: View[] = [
  { name: 'docs', open: at('/docs', 'Documentation') },
  { name: 'docs-document', as: 'newcomer', open: at('/docs/instructors', 'For instructors') },
  { name: 'docs-section', as: 'newcomer', open: at('/docs/user-guide/manage-your-job', 'Manage your job') },
  { name: 'docs-api', open: at('/docs/api', 'API reference') },
  // A small group: all have the same parts, and axe is slow with long pages.
  { name: 'docs-api-group', as: 'newcomer', open: at('/docs/api/storage', 'Storage') },
  { name: 'docs-search', as: 'newcomer', open: at('/docs/search?q=snapshot', 'Search') },
]

const jobViews: View[] = [
  { name: 'jobs', as: 'admin', open: at('/jobs', 'Jobs') },
  { name: 'jobs-first', as: 'newcomer', open: at('/jobs', 'Jobs') },
  { name: 'jobs-none-match', as: 'admin', open: at('/jobs?status=failed&competition_id=none', 'Jobs') },
  {
    name: 'job-output',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.done}`)
      await expect(outputOf(page)).toContainText('epoch')
    },
  },
  { name: 'job-result-chart', as: 'admin', open: (page, scene) => openResult(page, scene, 'Chart') },
  { name: 'job-result-table', as: 'admin', open: (page, scene) => openResult(page, scene, 'Table') },
  { name: 'job-result-tree', as: 'admin', open: (page, scene) => openResult(page, scene, 'Tree') },
  {
    name: 'job-metrics',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.done}?tab=metrics`)
      await expect(page.getByRole('slider', { name: 'accuracy over epoch' })).toBeVisible()
    },
  },
  {
    name: 'jobs-compared',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/compare?ids=${jobs.done},${jobs.failed}`)
      await expect(page.getByRole('slider', { name: 'accuracy over' })).toBeVisible()
      await expect(page.getByRole('region', { name: 'Differences of the programs' })).toBeVisible()
    },
  },
  {
    name: 'job-source',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.done}?tab=source`)
      await expect(editorOf(page, 'solution.py')).toBeVisible()
    },
  },
  {
    name: 'job-details',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.done}?tab=details`)
      await expect(page.getByText('Result file')).toBeVisible()
    },
  },
  {
    name: 'job-failed',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.failed}`)
      await expect(outputOf(page)).toContainText('ModuleNotFoundError')
    },
  },
  {
    name: 'job-waiting',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.waiting}`)
      await expectStatus(page, 'Pending')
    },
  },
  {
    name: 'job-running',
    as: 'admin',
    open: async (page, { jobs }) => {
      await page.goto(`/jobs/${jobs.running}`)
      await expect(outputOf(page)).toContainText('epoch 1')
    },
  },
  {
    name: 'job-cancel',
    as: 'admin',
    open: (page, { jobs }) => openDialog(page, `/jobs/${jobs.waiting}`, 'Cancel'),
  },
]

const submitViews: View[] = [
  { name: 'submit', as: 'newcomer', open: at('/submit', 'New job') },
  {
    name: 'submit-ready',
    as: 'admin',
    open: async (page) => {
      await page.goto('/submit')
      await dropFiles(page, [
        { name: 'solution.py', text: training },
        { name: 'config.yaml', text: configText({ name: 'ready' }) },
      ])
      await expect(page.getByText('Ready to submit')).toBeVisible()
    },
  },
  {
    name: 'submit-directory',
    as: 'admin',
    open: async (page) => {
      await page.goto('/submit')
      await dropPaths(page, [await writeProject()])
      await expect(page.getByText('Ready to submit')).toBeVisible()
      await page.getByText(/paths not uploaded/).click()
      await page.getByRole('button', { name: /^src/ }).click()
    },
  },
  {
    name: 'submit-mistakes',
    as: 'admin',
    open: async (page) => {
      await page.goto('/submit')
      await page.getByRole('radio', { name: 'YAML' }).click()
      await rewrite(
        page,
        'config.yaml',
        'competition_id: c\nproject_id: p\nexpected_time: -1\ngpu_cuont: 2\n',
      )
      await expect(page.locator('.cm-problem-note')).toHaveCount(2)
    },
  },
  {
    name: 'submit-mistakes-form',
    as: 'admin',
    open: async (page) => {
      await page.goto('/submit')
      await page.getByLabel(/Expected time/).fill('-1')
      await page.getByRole('button', { name: 'Submit job' }).click()
      await expect(page.getByText(/to fix/)).toBeVisible()
    },
  },
]

const accessViews: View[] = [
  { name: 'cluster', as: 'newcomer', open: at('/cluster', 'Cluster') },
  { name: 'projects', as: 'admin', open: at('/projects', 'Projects') },
  { name: 'projects-first', as: 'newcomer', open: at('/projects', 'Projects') },
  { name: 'project', as: 'admin', open: (page) => openProject(page) },
  {
    name: 'project-results',
    as: 'admin',
    open: async (page) => {
      await openProject(page)
      await page.goto(
        `${new URL(page.url()).pathname}?group=config.name&columns=status,tags,run_time,pictures`,
      )
      await expect(page.getByRole('table', { name: 'Groups by Config name' })).toBeVisible()
    },
  },
  {
    name: 'project-results-share',
    as: 'admin',
    open: async (page) => {
      await openProject(page)
      await page.getByRole('button', { name: 'Select my jobs' }).click()
      await page.getByRole('button', { name: 'Share read-only…' }).click()
      await expect(page.getByRole('dialog').getByText(/Baselines, 2 jobs/)).toBeVisible()
    },
  },
  {
    name: 'class',
    as: 'admin',
    open: async (page, { course }) => {
      await page.goto(`/projects/${course}?metric=accuracy&best=highest`)
      await expect(page.getByRole('link', { name: '0.98' })).toBeVisible()
      await expect(page.getByText('has not agreed yet', { exact: true })).toBeVisible()
    },
  },
  {
    name: 'class-tokens',
    as: 'admin',
    open: (page, { course }) => openDialog(page, `/projects/${course}`, 'Tokens for participants'),
  },
  { name: 'project-new', as: 'admin', open: (page) => openDialog(page, '/projects', 'New project') },
  {
    name: 'project-leaderboard',
    as: 'admin',
    open: async (page) => {
      await openProject(page)
      await page.getByRole('link', { name: 'Open the leaderboard' }).click()
      await expect(page.getByRole('table', { name: 'Leaderboard' })).toBeVisible()
    },
  },
  { name: 'snapshots', as: 'admin', open: (page) => openSnapshots(page) },
  {
    name: 'snapshot-versions',
    as: 'admin',
    open: async (page) => {
      await openSnapshots(page)
      await page.getByRole('link', { name: 'code/training@2', exact: true }).click()
      await expect(page.getByRole('table', { name: 'Changed files' })).toBeVisible()
    },
  },
  { name: 'groups', as: 'newcomer', open: at('/groups', 'Groups') },
  { name: 'experiments', as: 'newcomer', open: at('/experiments', 'Experiments') },
  { name: 'competitions', as: 'newcomer', open: at('/competitions', 'Competitions') },
  { name: 'accounting', as: 'admin', open: at('/accounting?by=project', 'Accounting') },
  { name: 'tokens', as: 'admin', open: at('/tokens', 'Tokens') },
  { name: 'token-new', as: 'admin', open: (page) => openDialog(page, '/tokens', 'New token') },
  {
    name: 'token-made',
    as: 'newcomer',
    open: async (page) => {
      await openDialog(page, '/tokens', 'New token')
      await page.getByLabel('Name').fill('notebook')
      await page.getByRole('button', { name: 'Create token' }).click()
      await expect(page.getByRole('region', { name: 'token', exact: true })).toBeVisible()
    },
  },
  { name: 'settings', as: 'admin', open: at('/settings', 'Settings') },
  {
    name: 'not-found',
    as: 'newcomer',
    open: async (page) => {
      await page.goto('/no/such/page')
      await expect(page.getByText('Page not found')).toBeVisible()
    },
  },
  {
    name: 'shortcuts',
    as: 'admin',
    open: async (page) => {
      await at('/settings', 'Settings')(page)
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    },
  },
]

const adminViews: View[] = [
  { name: 'admin-jobs', as: 'admin', open: at('/admin/jobs', 'All jobs') },
  { name: 'admin-users', as: 'admin', open: at('/admin/users', 'Users') },
  {
    name: 'admin-import',
    as: 'admin',
    open: async (page) => {
      await at('/admin/users/import', 'Import users')(page)
      await page
        .getByLabel('Or paste the text')
        .fill('user_id;name\nnew-one;Ada Lovelace\nadmin;The admin\nnot an id;x')
      await page.getByRole('button', { name: 'Preview' }).click()
      await expect(page.getByText('1 problem', { exact: true })).toBeVisible()
    },
  },
  { name: 'admin-invite', as: 'admin', open: (page) => openDialog(page, '/admin/users', /^Invite$/) },
  { name: 'admin-user-menu', as: 'admin', open: (page) => openDialog(page, '/admin/users', /^Actions for/) },
  { name: 'admin-tokens', as: 'admin', open: at('/admin/tokens', 'All tokens') },
  { name: 'admin-projects', as: 'admin', open: at('/admin/projects', 'All projects') },
  { name: 'admin-environments', as: 'admin', open: at('/admin/environments', 'Environments') },
  {
    name: 'admin-environment',
    as: 'admin',
    open: (page) => openDialog(page, '/admin/environments', 'Edit python'),
  },
  { name: 'admin-buckets', as: 'admin', open: at('/admin/buckets', 'Buckets') },
  { name: 'admin-cluster', as: 'admin', open: at('/cluster', 'Cluster') },
  { name: 'admin-health', as: 'admin', open: at('/admin/health', 'Health') },
  { name: 'admin-policy', as: 'admin', open: at('/admin/policy', 'Policy and models') },
  { name: 'admin-announcement', as: 'admin', open: at('/admin/announcement', 'Announcement') },
  { name: 'admin-audit', as: 'admin', open: at('/admin/audit', 'Audit log') },
]

export const views: View[] = [
  ...doors,
  ...sharedViews,
  ...docsViews,
  ...jobViews,
  ...submitViews,
  ...accessViews,
  ...adminViews,
]
