import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { status } from '../commands/status'
import { detail, fakeContext, jobId, self } from '../testing/fake-context'
import { add } from './add'
import { recordScreenMode } from './screen-mode'

let home: string
let script: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-add-'))
  script = join(home, 'train.py')
  await writeFile(script, 'print(1)')
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** A server that accepts each job, and the configs that it got. */
function accepting() {
  const configs: string[] = []
  const context = fakeContext(async (request) => {
    if (request.method !== 'POST') return Response.json({ user_id: 'ada', host_files: null })
    configs.push(await new Response((await request.formData()).get('config_file')).text())
    return Response.json({ job_id: jobId, status: 'pending' })
  })
  context.env = {
    ...context.env,
    XDG_CONFIG_HOME: home,
    GPUQ_SERVER: 'http://gpuq.test',
    GPUQ_TOKEN: 'a-token',
  }
  return { context, configs }
}

it('gives a job a terminal as a line of the jobs file has one, while `start --screen` runs', async () => {
  const { context, configs } = accepting()
  await add(context, script, { priority: 0, isolated: true })
  await recordScreenMode(context.env, 'http://gpuq.test')
  await add(context, script, { priority: 0, isolated: true })
  expect(configs.map((config) => /^tty: true$/m.test(config))).toEqual([false, true])
})

it('shows the priority as it was typed', async () => {
  const config = 'priority: -3\ncuda_argument: true\nproject_id: p\ncompetition_id: c\nexpected_time: 60\n'
  const context = fakeContext(({ url }) =>
    Response.json(
      url.includes('/source')
        ? { config, code: 'print(1)', command: null }
        : { ...detail(), priority: -3, command: null },
    ),
  )
  await status(context, jobId, {})
  expect(context.written.out).toContain('priority        3 (as in a jobs file: lower numbers start first)')
})

it('lists the conda environments of the machine if the named one is unknown to it and to the server', async () => {
  await mkdir(join(home, 'envs', 'good', 'conda-meta'), { recursive: true })
  await writeFile(join(home, 'envs', 'good', 'conda-meta', 'history'), '')
  await mkdir(join(home, '.conda'))
  await writeFile(join(home, '.conda', 'environments.txt'), `${join(home, 'envs', 'good')}\n`)
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const message = 'there is no environment "misspelt"'
  const context = fakeContext((request) =>
    request.method === 'POST'
      ? Response.json(
          {
            type: 'about:blank',
            title: 'Invalid fields',
            status: 422,
            code: 'invalid_fields',
            detail: `config_file: environment: ${message}.`,
            errors: [{ path: 'environment', message }],
          },
          { status: 422, headers: { 'content-type': 'application/problem+json' } },
        )
      : Response.json({ ...self, host_files: bootId }),
  )
  context.env = { ...context.env, HOME: home, PATH: home, XDG_CONFIG_HOME: home }
  context.env = { ...context.env, GPUQ_SERVER: 'http://gpuq.test', GPUQ_TOKEN: 'a-token' }
  await expect(add(context, script, { priority: 0, conda: 'misspelt' })).rejects.toThrow(
    `environment: ${message}; conda on this machine has good.`,
  )
})
