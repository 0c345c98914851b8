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
  ['connect an agent with MCP', '/docs/user-guide/connect-an-agent'],
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
