import { expect, it } from 'vitest'
import type { Script } from './runtime/testing/fake-container'
import { latch } from './runtime/testing/latch'
import { makeAgent, submitAs } from './testing/agent'
import { FakeLab } from './testing/fake-lab'
import { submitGroup } from './testing/groups'
import { short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

it('a token with two GPUs at once, on a node with eight: its jobs and the members of its groups never hold more together, and all run', async () => {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'a', gpus: 8 })
  const agent = await makeAgent(lab, { max_gpus: 2 })
  const goOn = latch()
  let running = 0
  let most = 0
  const script: Script = async () => {
    running += 1
    most = Math.max(most, running)
    await goOn.opened
    running -= 1
    return 0
  }
  const code = lab.codeOf(script)
  const group = await submitGroup(lab, code, { matrix: { lr: { from: 1, to: 4 } }, parallel: 4 }, agent)
  const jobs = await Promise.all(Array.from({ length: 4 }, () => submitAs(lab, agent, code)))
  const { pool } = lab.database
  await lab.jobs.until('two run, and six say why they wait', async () => {
    const { rows } = await pool.query<{ detail: string }>(
      `SELECT reason_detail AS detail FROM jobs WHERE token_id = $1 AND status = 'pending' AND reason = 'token_max_gpus'`,
      [agent.tokenId],
    )
    const expected = 'The token "night" may use 2 GPUs at once. It uses 2, and the job asks for 1.'
    return running === 2 && rows.length === 6 && rows.every(({ detail }) => detail === expected)
  })
  // A job without the token starts and ends meanwhile.
  await lab.jobs.untilFinal(await lab.submit(short))
  goOn.open()
  for (const job of jobs) await lab.jobs.untilFinal(job)
  await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
  expect(await group.read()).toMatchObject({ counts: { completed: 4 } })
  expect(most).toBe(2)
  await expect(submitAs(lab, agent, code, { gpu_count: 3 })).rejects.toMatchObject({
    errors: [{ path: 'gpu_count', message: expect.stringMatching(/at most 2, .* limit of this token/) }],
  })
  await expectAllTrue(lab)
})
