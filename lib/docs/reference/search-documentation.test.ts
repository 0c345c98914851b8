import { expect, it } from 'vitest'
import { searchDocumentation } from './search-documentation'

it.each([
  ['why does my job wait', '/docs/user-guide/find-out-why-your-job-waits'],
  ['why did my job fail', '/docs/user-guide/manage-your-job#why-a-job-failed'],
  ['how do I cancel a job', '/docs/user-guide/manage-your-job'],
  ['submit a directory', '/docs/user-guide/submit-a-job#submit-a-directory-in-the-browser'],
  ['submit several files', '/docs/user-guide/submit-a-job#submit-several-files'],
  ['run on several nodes', '/docs/user-guide/run-a-job-on-several-nodes'],
  ['get an email when my job ends', '/docs/user-guide/get-notified'],
  ['how do I keep the files my program writes', '/docs/user-guide/prepare-your-program#keep-files'],
  ['continue after an interruption', '/docs/user-guide/prepare-your-program#continue-after-an-interruption'],
  ['checkpoints', '/docs/user-guide/prepare-your-program#continue-after-an-interruption'],
  ['compare two jobs', '/docs/user-guide/read-the-result#compare-jobs'],
  ['what are my limits', '/docs/user-guide/know-your-limits'],
  ['config keys', '/docs/user-guide/write-the-config'],
  ['search jobs by tag', '/docs/user-guide/manage-your-job#search-your-jobs'],
  ['connect an agent with MCP', '/docs/agents#connect-an-agent'],
  ['NaN in results', '/docs/user-guide/read-the-result'],
  ['add a node', '/docs/admin-guide/install#add-a-gpu-node'],
  ['restore a backup', '/docs/admin-guide/back-up-restore-and-upgrade#restore'],
  ['invite users', '/docs/admin-guide/manage-people'],
  ['what happens when the disk is full', '/docs/admin-guide/configure-storage#a-full-disk'],
  ['I know sbatch', '/docs/coming-from#from-sbatch'],
  ['fair share', '/docs/scheduling#which-job-is-next'],
  ['upgrade gpuq', '/docs/admin-guide/back-up-restore-and-upgrade#upgrade'],
  ['set up https', '/docs/admin-guide/install#put-a-tls-proxy-in-front'],
  ['use the terminal of a running job', '/docs/user-guide/use-the-command-line#use-a-jobs-terminal'],
  ['python client', '/docs/user-guide/use-python'],
])('“%s” has the section that answers among the first three', async (question, href) => {
  const first = (await searchDocumentation(question)).slice(0, 3)
  expect(first.map((hit) => hit.href)).toContain(href)
})

/** Questions of newcomers, written before their writer had read the documents. Each may have several sections that answer. */
const asked: [question: string, sections: string[]][] = [
  [
    'how do I run my python script',
    [
      '/docs/first-job#submit-your-own-program',
      '/docs/first-job#submit-from-a-terminal',
      '/docs/user-guide/submit-a-job',
    ],
  ],
  ['why is my job still waiting', ['/docs/user-guide/find-out-why-your-job-waits']],
  ['my job ran out of memory', ['/docs/user-guide/manage-your-job#why-a-job-failed']],
  [
    'where do I put my training data',
    [
      '/docs/user-guide/use-the-command-line#mount-snapshots',
      '/docs/user-guide/use-the-command-line#snapshots',
    ],
  ],
  ['download the output of a job', ['/docs/user-guide/read-the-result']],
  ['stop a job that is running', ['/docs/user-guide/manage-your-job']],
  [
    'use half a gpu',
    ['/docs/user-guide/write-the-config', '/docs/user-guide/write-the-config#use-a-part-of-a-gpu'],
  ],
  [
    'what happens when the server restarts while my job runs',
    [
      '/docs/admin-guide/know-what-happens-when-something-fails',
      '/docs/user-guide/prepare-your-program#continue-after-an-interruption',
    ],
  ],
  [
    'resume training from checkpoint after being killed',
    ['/docs/user-guide/prepare-your-program#continue-after-an-interruption'],
  ],
  [
    'install extra python packages',
    ['/docs/user-guide/prepare-your-program', '/docs/admin-guide/approve-environments'],
  ],
  ['get an email when my job is done', ['/docs/user-guide/get-notified']],
  [
    'run the same script with many learning rates',
    [
      '/docs/user-guide/use-the-command-line#run-a-program-with-many-values',
      '/docs/user-guide/submit-a-command-over-the-api',
      '/docs/user-guide/use-python',
      '/docs/one-machine#write-the-jobs-file',
    ],
  ],
  [
    'share a result with someone who has no account',
    ['/docs/user-guide/manage-your-job#share-a-job-or-a-file-with-others'],
  ],
  ['forgot my password', ['/docs/admin-guide/manage-people']],
  ['add a new machine to the cluster', ['/docs/admin-guide/install#add-a-gpu-node']],
  ['limit how many gpus one person can use', ['/docs/admin-guide/set-limits']],
  [
    'let students join with a link',
    ['/docs/instructors#before-the-first-day', '/docs/admin-guide/manage-people#let-people-join-with-a-link'],
  ],
  ['open jupyter notebook on the gpu', ['/docs/user-guide/prepare-your-program#notebooks']],
  ['how to keep my api key secret in a job', ['/docs/user-guide/write-the-config#keep-a-secret']],
  ['back up everything', ['/docs/admin-guide/back-up-restore-and-upgrade']],
]

it.each(asked)(
  '“%s”, as a newcomer asks, has a section that answers among the first three',
  async (question, sections) => {
    const first = (await searchDocumentation(question)).slice(0, 3)
    expect(sections.filter((href) => first.some((hit) => hit.href === href))).not.toEqual([])
  },
)

it('a word that nothing contains hides no answer to the other words, and finds nothing alone', async () => {
  const [first] = await searchDocumentation('why does my frobnicate job wait')
  expect(first?.href).toBe('/docs/user-guide/find-out-why-your-job-waits')
  const hrefs = (await searchDocumentation('frobnicate sweep')).slice(0, 3).map(({ href }) => href)
  expect(hrefs).toContain('/docs/sweeps')
  expect(await searchDocumentation('frobnicate')).toEqual([])
  expect(await searchDocumentation('frobnicate gribble zorkmid')).toEqual([])
})
