import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connectS3 } from '@/lib/storage/s3-client'
import { type S3Server, startS3Server } from '@/lib/storage/testing/s3-server'
import { GcloudStandIn, queuedResourcesScript } from '@/worker/testing/gcloud-stand-in'
import { call } from './http-call'
import { enterOwnSystem } from './own-system'
import { sessionCookie } from './sign-in'
import { type System, startSystem } from './system/start-system'
import { createUser, noLimits, type TestUser } from './test-users'

/**
 * Types the document of production jobs on new nodes (docs/documents.md, document 004) in a shell. gcloud is a stand-in, whose
 * machines are processes here, and the bucket is a local S3 server. Everything else is real.
 */

vi.setConfig({ testTimeout: 600_000 })

const root = join(import.meta.dirname, '..')
let home: string
let gcloud: GcloudStandIn
let bucket: S3Server
let system: System
let leave = async () => {}
let person: TestUser
let printed: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-multihost-'))
  const startup = `cd ${root}; GPUQ_SIMULATED_GPUS=1 GPUQ_NODE_NAME=slice-$NODE_INDEX-$$ exec ${process.execPath} dist/worker.js`
  gcloud = await GcloudStandIn.make(join(home, 'gcloud'), startup)
  bucket = await startS3Server({ complete: true })
  system = await startSystem({
    env: {
      ...gcloud.variables,
      GPUQ_PROVISION_UP: `sh ${queuedResourcesScript} up`,
      GPUQ_PROVISION_DOWN: `sh ${queuedResourcesScript} down`,
      GPUQ_PROVISION_OPTIONS: '--network',
    },
  })
  leave = enterOwnSystem(system)
  // By default, researchers may not use the pool of reserved nodes.
  person = await createUser({
    name: 'multihost',
    limits: { ...noLimits, pools: ['on-demand', 'best-effort', 'reserved'] },
  })
  const project = join(home, 'project')
  await mkdir(join(project, 'MaxText', 'configs'), { recursive: true })
  await mkdir(join(home, 'bin'))
  await writeFile(join(project, 'setup.sh'), 'echo set up\n')
  await writeFile(join(project, 'MaxText', 'configs', 'base.yml'), 'steps: 2\n')
  await writeFile(
    join(project, 'MaxText', 'train.py'),
    `import os, sys
print("config", open(sys.argv[1]).read().strip(), sys.argv[2], "node", os.environ["NODE_RANK"])
with open("/results/weights-" + os.environ["NODE_RANK"], "w") as file:
    file.write("weights")
`,
  )
  await writeFile(join(home, 'bin', 'gpuq'), `#!/bin/sh\nexec ${process.execPath} ${root}/dist/cli.js "$@"\n`)
  await chmod(join(home, 'bin', 'gpuq'), 0o755)
})

afterAll(async () => {
  await leave()
  await gcloud?.clear()
  await bucket?.stop()
  await rm(home, { recursive: true, force: true })
})

/** Types lines in a shell, in the project's directory. */
function type(
  lines: string,
  input = '',
  user = person,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn('sh', ['-c', lines], {
    cwd: join(home, 'project'),
    env: {
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      NODE_ENV: 'production',
      GPUQ_SERVER: system.url,
      GPUQ_TOKEN: user.token,
    },
  })
  const seen = { out: '', err: '' }
  child.stdout.on('data', (text: Buffer) => {
    seen.out += text
  })
  child.stderr.on('data', (text: Buffer) => {
    seen.err += text
  })
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...seen, code })))
}

async function objectOf(key: string): Promise<string | null> {
  const client = await connectS3(bucket.options)
  try {
    const { Body } = await client.getObject({ Bucket: bucket.options.bucket, Key: key })
    return (await Body?.transformToString()) ?? null
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return null
    throw error
  } finally {
    client.destroy()
  }
}

it('an admin registers a bucket with the commands of the guide, and assigns it to a project', async () => {
  const admin = await createUser({
    name: 'admin',
    role: 'admin',
    token: { scopes: ['submit', 'read', 'admin'] },
  })
  await person.client.projects.create({ project_id: 'default' })
  const { credentials, endpoint = '' } = bucket.options
  const keys = `${credentials?.accessKeyId}\n${credentials?.secretAccessKey}\n`
  const add = `gpuq buckets add research --bucket ${bucket.options.bucket} --endpoint ${endpoint} --keys-stdin`
  const added = await type(add, keys, admin)
  expect(added, added.err).toMatchObject({ code: 0 })
  expect(await type(`gpuq buckets assign research ${person.handle}/default`, '', admin)).toMatchObject({
    code: 0,
  })
  const listed = await type('gpuq buckets', '', admin)
  expect(listed.out).toContain(`${person.handle}/default`)
  expect(added.out + added.err + listed.out).not.toContain('S3RVER')
})

it('the printed command requests new nodes, and prints the link to the live log and the URL of the final log', async () => {
  const { code, out, err } = await type(`
    BUCKET_NAME=research
    NODE_COUNT=2
    YOUR_JOB_NAME=first
    RUN_NAME=$YOUR_JOB_NAME # You may set this to any unique name for a fresh run.
    gpuq multihost-job --NUM_SLICES=$NODE_COUNT --RUN_NAME=$RUN_NAME --BUCKET_NAME=$BUCKET_NAME --CQR_EXTRA_ARGS="--reserved" --COMMAND="bash setup.sh && python3 MaxText/train.py MaxText/configs/base.yml run_name=$RUN_NAME"`)
  expect(code, err).toBe(0)
  printed = out
  expect(out).toMatch(/^live log: http:\S+\/jobs\/\S+\nfinal log: s3:\/\/gpuq-tests\/gpuq\/\S+\/log\.txt\n$/)
})

const jobId = () => /jobs\/(\S+)/.exec(printed)?.[1] ?? ''

it('the job runs on two new nodes, and its logs and results arrive in the bucket', async () => {
  await expect
    .poll(async () => (await person.client.jobs.get(jobId())).status, { timeout: 400_000 })
    .toBe('completed')
  await expect.poll(() => objectOf(`gpuq/${jobId()}/log.txt`), { timeout: 120_000 }).not.toBeNull()
  const log = (await objectOf(`gpuq/${jobId()}/log.txt`)) ?? ''
  for (const rank of [0, 1]) expect(log).toContain(`config steps: 2 run_name=first node ${rank}`)
  expect(log.match(/set up/g)).toHaveLength(2)
  for (const rank of [0, 1])
    expect(await objectOf(`gpuq/${jobId()}/artifacts/rank-${rank}/weights-${rank}`)).toBe('weights')
  expect(await objectOf(`gpuq/${jobId()}/result.jsonl`)).toContain('"type":"exit"')
  expect(await gcloud.argumentsOf('create')).toEqual(
    expect.arrayContaining([`gpuq-${jobId()}`, '--node-count=2', '--reserved']),
  )
  const link = new URL(/http\S+\/jobs\/\S+/.exec(printed)?.[0] ?? '')
  expect(link.origin).toBe(system.url)
  expect(await call(link.pathname, { headers: { cookie: await sessionCookie(person) } })).toMatchObject({
    status: 200,
  })
})

it('the nodes are deleted after the job', async () => {
  await expect.poll(() => gcloud.resources(), { timeout: 240_000 }).toEqual([])
  expect(await gcloud.calls()).toContain('delete')
})

it('other options need the permission of the admin, and the bucket must be that of the project', async () => {
  const run = (options: string) => type(`gpuq multihost-job ${options} --COMMAND true`)
  expect(await run('--CQR_EXTRA_ARGS "--best-effort --service-account=root"')).toMatchObject({
    code: 1,
    err: expect.stringContaining('--CQR_EXTRA_ARGS: the option --service-account is not allowed'),
  })
  expect(await run('--BUCKET_NAME other')).toMatchObject({
    code: 1,
    err: expect.stringContaining('--BUCKET_NAME: the bucket of the project is "research"'),
  })
})
