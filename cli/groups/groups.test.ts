import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import tar from 'tar-stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatTime } from '@/lib/contract/cluster/start-range'
import { groupDetailSchema } from '@/lib/groups/contract'
import { submit } from '../commands/submit'
import { createProgram } from '../program'
import { diagnosed } from '../testing/diagnosed'
import { detail, fakeContext, idOf } from '../testing/fake-context'
import { counts, made, member } from '../testing/make-group'
import { adviseFailed, describeProblem } from './describe-group'
import { group, groups } from './groups'
import { readObjective, readParameters } from './parameters'
import { sweep } from './sweep'

createProgram()

const ended = (status: string, changes: object = {}) =>
  made({
    status,
    ended_at: '2026-01-01T00:01:00Z',
    best: member,
    counts: { ...counts, completed: 2, failed: 1 },
    ...changes,
  })

const dryRun = {
  dry_run: true,
  text: 'gpuq would accept the group. Nothing was queued.',
  kind: 'wave',
  project_id: 'p',
  project_note: null,
  members: 3,
  existing: 0,
  parallel: 3,
  gpu_hours: { expected: 1.2345, most: 5 },
  run_hours: { expected: 1, most: 4 },
  queue_position: 1,
  expected_start: null,
  expected_start_text: null,
  hints: ['{lrr} names no parameter, so it stays as it is.'],
}

/** A server that records what it is sent, and answers a wait with each of the answers in turn. */
function server(waits: object[] = [], changes: object = {}) {
  const sent: { path: string; config: string }[] = []
  const context = fakeContext(async (request) => {
    const { pathname } = new URL(request.url)
    if (request.method === 'POST' && pathname === '/api/groups') {
      const form = await request.formData()
      sent.push({ path: pathname, config: await (form.get('config_file') as File).text() })
      if (new URL(request.url).searchParams.has('dry_run')) return Response.json({ ...dryRun, ...changes })
      return Response.json(made({ hints: ['{x} names no parameter, so it stays as it is.'] }), {
        status: 201,
      })
    }
    if (request.method === 'POST') sent.push({ path: pathname, config: await request.text() })
    if (pathname.endsWith('/wait')) return Response.json(waits.shift())
    if (pathname.startsWith('/api/status/'))
      return Response.json(detail({ status: 'failed', diagnosis: diagnosed }))
    if (pathname.endsWith('/members')) return Response.json([member])
    if (pathname === '/api/groups') return Response.json([made()])
    return Response.json(made())
  })
  return { context, sent }
}

describe('the values of --param', () => {
  it.each([
    ['lr=0.1,0.01', { lr: [0.1, 0.01] }],
    ['seed=1..5', { seed: { from: 1, to: 5 } }],
    ['width=0..100:25', { width: { from: 0, to: 100, step: 25 } }],
    ['lr=1e-4..1e-1', { lr: { from: 0.0001, to: 0.1 } }],
    ['lr=log_uniform(0.0001, 0.1)', { lr: { log_uniform: [0.0001, 0.1] } }],
    ['opt=adam,sgd', { opt: ['adam', 'sgd'] }],
    ['id=007,0.10', { id: ['007', '0.10'] }],
    ['path=a=b', { path: ['a=b'] }],
  ])('%s', (text, matrix) => {
    expect(readParameters([text])).toEqual(matrix)
  })

  it.each(['lr', 'lr=', '=1'])('a parameter without name or values is refused: %s', (text) => {
    expect(() => readParameters([text])).toThrow('Write NAME=VALUES')
  })

  it('a parameter that is given twice is refused', () => {
    expect(() => readParameters(['a=1', 'a=2'])).toThrow('--param a is given twice')
  })

  it('an objective needs its mode', () => {
    expect(readObjective('min:val_loss')).toEqual({ metric: 'val_loss', mode: 'min' })
    expect(() => readObjective('val_loss')).toThrow('Write min:METRIC or max:METRIC')
  })
})

describe('gpuq sweep', () => {
  it('a sweep sends its parameters with the command, and follows the group to its end', async () => {
    const { context, sent } = server([
      made({ counts: { ...counts, held: 0, running: 2, completed: 1 } }),
      ended('failed'),
    ])
    const code = await sweep(context, ['python', 't.py', 'a b', '', '--lr={lr} x'], {
      param: ['lr=0.1,0.01'],
      parallel: 2,
      objective: 'min:loss',
    })
    expect(code).toBe(1)
    expect(sent[0]?.config).toContain("command: python t.py 'a b' '' --lr={lr}' x'")
    expect(sent[0]?.config).toContain('matrix:\n  lr:\n    - 0.1\n    - 0.01\n')
    expect(context.written.err).toContain('1 of 3 ended, 2 running')
    expect(context.written.err).toContain('best: loss 0.25, lr=0.1 (member 1')
    expect(context.written.err).toContain('{x} names no parameter')
    expect(context.written.out).toBe(`${idOf(1)} failed\n`)
  })

  it('a dry run of a sweep has its times in the local time zone', async () => {
    const at = '2026-11-28T06:58:40.754Z'
    const { context } = server([], { text: `The first would start at about ${at}.` })
    await sweep(context, ['true'], { param: ['lr=1'], dryRun: true })
    expect(context.written.out).toContain(
      `The first would start at about ${formatTime(Date.parse(at), Date.now())}.\n`,
    )
  })

  it('a sweep that ends with failures says why the first member failed, and what to do next', async () => {
    const { context } = server([ended('failed', { best: null })])
    await sweep(context, ['true'], { param: ['lr=1'] })
    const lines = context.written.err.trim().split('\n')
    expect(lines.slice(-3)).toEqual([
      `gpuq: first failed: lr=0.1 (member 1, job ${idOf(7)}): The main memory of the job is full. MemoryError (\`a.py\`, line 3)`,
      `gpuq: see what failed: gpuq group ${idOf(1)} members --status failed, then gpuq why JOB`,
      `gpuq: run them again: gpuq group ${idOf(1)} rerun-failed`,
    ])
    const quiet = server([ended('failed')])
    await sweep(quiet.context, ['true'], { param: ['lr=1'], quiet: true })
    expect(quiet.context.written.err).toBe('')
  })

  it.each([
    ['completed', 0],
    ['cancelled', 130],
  ])('a group that ends as %s has the exit code %i', async (status, code) => {
    const { context } = server([ended(status)])
    expect(await sweep(context, ['true'], { param: ['lr=1'] })).toBe(code)
  })

  it('with --no-wait it prints only the id of the group', async () => {
    const { context } = server()
    expect(await sweep(context, ['true'], { param: ['lr=1'], wait: false, quiet: true })).toBe(0)
    expect(context.written).toEqual({ out: `${idOf(1)}\n`, err: '' })
  })
})

describe('gpuq submit with a config of a group', () => {
  it('a dry run of a group says what would happen and what may be a mistake, and sends no directory', async () => {
    const { context, sent } = server()
    const directory = import.meta.dirname
    expect(await submit(context, directory, undefined, { array: '0-3', dryRun: true } as never)).toBe(0)
    expect(await sweep(context, ['true'], { param: ['lr=1'], dryRun: true, withDir: true })).toBe(0)
    expect(sent).toHaveLength(2)
    const said = `gpuq would accept the group. Nothing was queued.
GPU hours: about 1.23, at most 5
{lrr} names no parameter, so it stays as it is.
`
    expect(context.written.out).toBe(said.repeat(2))
  })

  it('a sweep of a file in the current directory says how to send it, also in a dry run', async () => {
    for (const withDir of [false, true]) {
      const { context } = server()
      await sweep(context, ['cat', 'package.json'], { param: ['lr=1'], dryRun: true, withDir })
      expect(context.written.err).toBe(
        withDir
          ? ''
          : 'gpuq: package.json is in this directory, but not sent with the command, so the job will not find it. Add --with-dir before -- to send the directory.\n',
      )
    }
  })

  it('a config with an array makes a group', async () => {
    const { context, sent } = server()
    const program = `${import.meta.dirname}/../python/gpuq.py`
    expect(await submit(context, program, undefined, { array: '0-3%2', wait: false } as never)).toBe(0)
    expect(sent[0]?.config).toMatch(/^array: 0-3%2$/m)
  })
})

describe('gpuq group', () => {
  it('a group is found by the start of its id, and shown with its progress', async () => {
    const { context } = server()
    expect(await group(context, idOf(1).slice(0, 10), 'show', {})).toBe(0)
    expect(context.written.out).toContain('0 of 3 ended, 2 running, 1 held')
    await expect(group(context, 'ffff', 'show', {})).rejects.toThrow(
      'You have no group whose id starts with ffff',
    )
  })

  it.each([
    [{ held: 1 }, 'The next one cannot enter the queue now: The queue is full.'],
    [{ paused: 1 }, 'The next one cannot enter the queue now: The queue is full.'],
    [{ cancelled: 1 }, 'The queue is full.'],
  ])('a problem of a group with %o is that of the next member only if there is one', (changes, words) => {
    const shown = groupDetailSchema.parse(
      made({
        submitted_with: null,
        parent: null,
        hypothesis: null,
        followers: 0,
        counts: { ...counts, ...changes },
        problem: 'The queue is full.',
      }),
    )
    expect(describeProblem(shown)).toBe(words)
  })

  it('a group that waits for others says for what, and not that the next member cannot enter the queue', () => {
    const problem = 'It waits for others. Waits for group lr: 3 of 9 ended.'
    const shown = { status: 'running', awaits_approval: false, waits_for_others: true, problem } as const
    expect(describeProblem({ ...shown, counts: { ...counts, held: 3 } })).toBe(problem)
  })

  it('the members of a group are a table, or CSV', async () => {
    const { context } = server()
    await group(context, idOf(1), 'members', {})
    expect(context.written.out).toMatch(/PARAMETERS +STATUS +LOSS/)
    context.written.out = ''
    await group(context, idOf(1), 'csv', {})
    expect(context.written.out).toBe(
      `member,lr,repeat,status,loss,run_seconds,job_id\r\n1,0.1,0,completed,0.25,30,${idOf(7)}\r\n`,
    )
  })

  it('a cancelled group with failed members does not advise to run them again, which would be refused', () => {
    const shown = { group_id: idOf(1), counts: { ...counts, failed: 1 } }
    expect(adviseFailed({ ...shown, status: 'failed' }).join()).toContain('rerun-failed')
    expect(adviseFailed({ ...shown, status: 'cancelled' })).toEqual([
      `see what failed: gpuq group ${idOf(1)} members --status failed, then gpuq why JOB`,
    ])
    expect(adviseFailed({ ...shown, counts, status: 'completed' })).toEqual([])
  })

  it('the failed members of a group run again', async () => {
    const { context, sent } = server()
    expect(await group(context, idOf(1), 'rerun-failed', {})).toBe(0)
    expect(sent).toEqual([{ path: `/api/groups/${idOf(1)}/rerun-failed`, config: '' }])
    expect(context.written.out).toContain('0 of 3 ended, 2 running, 1 held')
  })

  it('a group is extended by the number that it has afterwards', async () => {
    const { context, sent } = server()
    expect(await group(context, idOf(1), 'extend', { samples: 100 })).toBe(0)
    expect(sent).toEqual([{ path: `/api/groups/${idOf(1)}/extend`, config: '{"samples":100}' }])
    await expect(group(context, idOf(1), 'extend', {})).rejects.toThrow('extend needs --samples or --repeat')
    await expect(group(context, idOf(1), 'show', { repeat: 2 })).rejects.toThrow(
      '--samples and --repeat are only for extend',
    )
  })

  it('without a best member it says what is missing', async () => {
    const { context } = server()
    expect(await group(context, idOf(1), 'best', {})).toBe(1)
    expect(context.written.err).toBe('No member has completed with the metric loss yet.\n')
  })

  it('lists groups', async () => {
    const { context } = server()
    await groups(context, { limit: 20 })
    expect(context.written.out).toMatch(new RegExp(`${idOf(1)} +base +running +0/3`))
  })
})

describe('gpuq group download', () => {
  /** A server whose archive of the group has these files, with their names as content, and a directory to save them in. */
  async function archiveWith(...names: string[]) {
    const root = await mkdtemp(join(tmpdir(), 'gpuq-cli-'))
    onTestFinished(() => rm(root, { recursive: true }))
    const asked: string[] = []
    const context = fakeContext((request) => {
      asked.push(new URL(request.url).pathname)
      const pack = tar.pack()
      for (const name of names) pack.entry({ name }, name)
      pack.finalize()
      return new Response(Readable.toWeb(Readable.from(pack)) as ReadableStream)
    })
    return { root, context, asked }
  }

  it('the download of a group saves the files of all members in a new directory', async () => {
    const { root, context, asked } = await archiveWith('members.csv', '0000-lr=0.1/results/model.pt')
    const output = join(root, 'sweep')
    expect(await group(context, idOf(1), 'download', { output })).toBe(0)
    expect(asked).toEqual([`/api/groups/${idOf(1)}/files.tar`])
    expect(await readFile(join(output, '0000-lr=0.1/results/model.pt'), 'utf8')).toBe(
      '0000-lr=0.1/results/model.pt',
    )
    expect(context.written.err).toBe(`Saved the group to ${output}.\n`)
    await expect(group(context, idOf(1), 'download', { output })).rejects.toThrow('is not empty')
  })

  it('the download of a group is one tar file if the path ends with .tar', async () => {
    const { root, context } = await archiveWith('members.csv')
    const output = join(root, 'sweep.tar')
    expect(await group(context, idOf(1), 'download', { output })).toBe(0)
    expect((await readFile(output)).subarray(0, 11).toString()).toBe('members.csv')
  })

  it('a file of a group that cannot be saved is named and stops no other one, and rules for git and gpuq stay with the server', async () => {
    const { root, context } = await archiveWith('0/results/.gitignore', '0/results/a', '0/results/a', '1/b')
    const output = join(root, 'sweep')
    expect(await group(context, idOf(1), 'download', { output })).toBe(1)
    expect(await readdir(join(output, '0/results'))).toEqual(['a'])
    expect(await readdir(join(output, '1'))).toEqual(['b'])
    expect(context.written.err).toContain(
      'gpuq: 0/results/.gitignore is not saved: its rules would decide what is sent from here. Download it',
    )
    expect(context.written.err).toContain('gpuq: 0/results/a is not saved: it cannot be written: EEXIST.')
  })

  it('a file of a group whose path is too long for other systems is named and stops no other one', async () => {
    const { root, context } = await archiveWith(`0/results/${'directory/'.repeat(120)}a`, '1/b')
    const output = join(root, 'sweep')
    expect(await group(context, idOf(1), 'download', { output })).toBe(1)
    expect(await readdir(output)).toEqual(['1'])
    expect(context.written.err).toContain(
      'directory/a is not saved: its path is longer than 1024 bytes. Download it',
    )
  })

  it('an archive of a group with a path that leads out of the directory is not saved at all', async () => {
    const { root, context } = await archiveWith('members.csv', '../out')
    const output = join(root, 'sweep')
    await expect(group(context, idOf(1), 'download', { output })).rejects.toThrow('cannot be saved')
    expect(await readdir(root)).toEqual([])
  })

  it('gpuq group refuses --output for other actions', async () => {
    const { context } = server()
    await expect(group(context, idOf(1), 'csv', { output: 'x' })).rejects.toThrow('only for download')
  })
})
