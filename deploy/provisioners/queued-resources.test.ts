import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GcloudStandIn, queuedResourcesScript } from '@/worker/testing/gcloud-stand-in'

/** Runs the script with a stand-in for gcloud. */

const job = '0190a3b4-0000-7000-8000-000000000001'
const name = `gpuq-${job}`
let directory: string
let gcloud: GcloudStandIn

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-queued-resources-'))
  gcloud = await GcloudStandIn.make(
    join(directory, 'gcloud'),
    `#!/bin/sh\necho "$GPUQ_NODE_FOR_JOB $NODE_INDEX" >> ${directory}/nodes\nexec sleep 600\n`,
    { signals: 'KILL' },
  )
})
afterEach(async () => {
  await gcloud.clear()
  await rm(directory, { recursive: true })
})

const request = { GPUQ_PROVISION_JOB: job, GPUQ_PROVISION_NODES: '1', GPUQ_PROVISION_POOL: 'on-demand' }

/** Runs `up` or `down`, and returns its exit code and output. */
function run(verb: string, more: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const env = { NODE_ENV: 'test', ...gcloud.variables, ...request, ...more } as NodeJS.ProcessEnv
  return new Promise((resolve) => {
    execFile('sh', [queuedResourcesScript, verb], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
    )
  })
}

describe('the provisioner of queued resources', () => {
  it('requests one node from the on-demand pool, and deletes it', async () => {
    expect(await run('up')).toEqual({ code: 0, text: `requested the queued resource ${name} with 1 nodes\n` })
    expect(await gcloud.argumentsOf('create')).toEqual([
      name,
      '--accelerator-type=v4-8',
      '--runtime-version=tpu-ubuntu2204-base',
      expect.stringMatching(/^--metadata-from-file=startup-script=/),
      `--node-id=${name}`,
      '--project=research',
      '--zone=us-central2-b',
      '--quiet',
    ])
    expect(await gcloud.resources()).toEqual([name])
    expect(await run('down')).toEqual({ code: 0, text: `deleted the queued resource ${name}\n` })
    expect(await gcloud.resources()).toEqual([])
    expect(await gcloud.argumentsOf('delete')).toContain('--force')
    expect(await readdir(join(directory, 'gcloud', 'state'))).toEqual([])
    expect(await run('down', { QUEUED_RESOURCES_LIMIT_S: '5' })).toEqual({ code: 0, text: '' })
  })

  it.each([
    ['reserved', '--reserved'],
    ['best-effort', '--best-effort'],
  ])('requests several nodes from the pool %s', async (pool, option) => {
    expect((await run('up', { GPUQ_PROVISION_POOL: pool, GPUQ_PROVISION_NODES: '2' })).code).toBe(0)
    const args = await gcloud.argumentsOf('create')
    expect(args).toEqual(expect.arrayContaining(['--node-count=2', `--node-prefix=${name}`, option]))
    expect(args).not.toContain(`--node-id=${name}`)
  })

  it('passes the options of the job on as they are, and expands nothing', async () => {
    await expect(
      run('up', { GPUQ_PROVISION_ARGS: '--network=a*\n--labels=x=$(id),y=`id`' }),
    ).resolves.toMatchObject({ code: 0 })
    expect(await gcloud.argumentsOf('create')).toEqual(
      expect.arrayContaining(['--network=a*', '--labels=x=$(id),y=`id`']),
    )
  })

  it('replaces the nodes of an earlier attempt', async () => {
    await run('up')
    expect(await run('up')).toMatchObject({ code: 0 })
    expect((await gcloud.calls()).filter((verb) => verb !== 'list')).toEqual(['create', 'delete', 'create'])
    expect(await gcloud.resources()).toEqual([name])
  })

  it('deletes what an interrupted request creates later', async () => {
    const limit = { QUEUED_RESOURCES_LIMIT_S: '5' }
    await gcloud.next('hang-create')
    expect(await run('up', limit)).toMatchObject({
      code: 1,
      text: `queued-resources.sh: could not create ${name}.\n`,
    })
    expect(await run('down', limit)).toMatchObject({ code: 0 })
    expect(await gcloud.resources()).toEqual([])
    // The second look is after the longest time that a request can take.
    expect((await gcloud.calls()).slice(-1)).toEqual(['list'])
  })

  it.each(['fail-list', 'fail-delete'] as const)('fails if a request fails: %s', async (fault) => {
    await run('up')
    await gcloud.next(fault)
    expect(await run('down')).toMatchObject({ code: 1 })
    expect(await gcloud.resources()).toEqual([name])
    expect(await run('down')).toMatchObject({ code: 0 })
    expect(await gcloud.resources()).toEqual([])
  })

  it('says which variable is missing', async () => {
    expect(await run('up', { QUEUED_RESOURCES_ZONE: '' })).toEqual({
      code: 1,
      text: 'queued-resources.sh: QUEUED_RESOURCES_ZONE is not set.\n',
    })
    expect(await run('sideways')).toMatchObject({ code: 1, text: expect.stringContaining('usage:') })
    expect(await run('up', { GPUQ_PROVISION_JOB: '../x' })).toMatchObject({ code: 1 })
    expect(await gcloud.calls()).toEqual([])
  })
})
