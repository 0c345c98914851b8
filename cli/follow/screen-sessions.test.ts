import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { jobId } from '../testing/fake-context'
import { listSessions, requireScreen, ScreenSessions, sessionName } from './screen-sessions'
import type { StartLog } from './start-log'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-screen-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const on = (...indexes: number[]) => ({
  job_id: jobId,
  gpus: indexes.map((index) => ({ index })) as JobDetail['gpus'],
})

it.each([
  [[0], ['--mode', 'train'], 'gpujob_0_train_'],
  [[0, 3], ['--mode=eval', '--x'], 'gpujob_0,3_eval_'],
  [[1], ['--mode', 'a', '--mode', 'b c/$'], 'gpujob_1_bc_'],
  [[1], ['--mode'], 'gpujob_1_run_'],
  [[], [], 'gpujob_none_run_'],
])('is named after GPUs, mode and job: %j %j', (gpus, args, start) => {
  expect(sessionName(on(...gpus), args)).toBe(`${start}${jobId}`)
})

it('has a name that GNU Screen accepts', () => {
  const name = sessionName(on(100, 101, 102, 103, 104), ['--mode', 'm'.repeat(100)])
  expect(name).toHaveLength(80)
  expect(name.endsWith(`_${jobId}`)).toBe(true)
})

it('says how to install GNU Screen if it is missing, and lists no sessions', async () => {
  const env = { NODE_ENV: 'test' as const, PATH: directory }
  await expect(requireScreen(env)).rejects.toThrow(/apt-get install screen/)
  expect([...(await listSessions(env))]).toEqual([])
})

it('finds the sessions of jobs in the list of GNU Screen', async () => {
  const listed = `There are screens on:\n\t12.gpujob_0,1_train_${jobId}\t(11/23/26 02:00:00)\t(Detached)\n\t13.mine\t(Detached)\n2 Sockets.\n`
  const program = join(directory, 'screen')
  await writeFile(program, `#!/bin/sh\nprintf '%s' '${listed}'\nexit 1\n`)
  await chmod(program, 0o755)
  const sessions = await listSessions({ NODE_ENV: 'test', PATH: `${directory}:/usr/bin:/bin` })
  expect([...sessions]).toEqual([[jobId, `gpujob_0,1_train_${jobId}`]])
  await rm(program)
})

it('ends the sessions of jobs that are over, and no others', async () => {
  const ids = ['a', 'b', 'c'].map((letter) => jobId.replace(/^./, letter))
  const listed = ids.map((id) => `\t12.gpujob_0_run_${id}\t(Detached)`).join('\n')
  const calls = join(directory, 'calls')
  const program = join(directory, 'screen')
  await writeFile(
    program,
    `#!/bin/sh\n[ "$1" = -ls ] && printf '%s\\n' '${listed}' || echo "$*" >> '${calls}'\n`,
  )
  await chmod(program, 0o755)
  const statuses = new Map([
    [ids[0], 'failed'],
    [ids[1], 'running'],
  ])
  const get = async (id: string) => {
    const status = statuses.get(id)
    if (status === undefined) throw new Error('unknown to this server')
    return { job_id: id, status } as JobDetail
  }
  const noted: string[] = []
  const log = { detail: async (text: string) => void noted.push(text) } as unknown as StartLog
  const sessions = new ScreenSessions({
    client: { jobs: { get } } as unknown as Pick<JobsClient, 'jobs'>,
    connection: { server: 'http://gpuq.test', token: 'token' },
    env: { NODE_ENV: 'test', PATH: `${directory}:/usr/bin:/bin` },
    log,
  })
  await sessions.endOld()
  expect(await readFile(calls, 'utf8')).toBe(`-S gpujob_0_run_${ids[0]} -X quit\n`)
  expect(noted).toEqual([`Ended the session gpujob_0_run_${ids[0]}: its job is over.`])
  await rm(program)
})
