import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../contract/config/config'
import { GpuqError } from '../../contract/errors'
import { toEntryRequest } from './entry-request'

const document003 = `competition_id: "my-competition"
project_id: "my-project"
user_id: "your_user_id"
expected_time: 300  # Expected runtime in seconds
token: "your-secret-token-here"
`

function read(
  config: string,
  { code = 'print(1)', part = null as 'archive' | 'files' | null, dryRun = false } = {},
) {
  const parsed = parseConfig(config)
  if (!parsed.ok) throw new Error('The config is invalid.')
  const request = {
    code: Buffer.from(code),
    runId: null,
    config: parsed.config,
    bodyHash: Buffer.alloc(32),
    idempotencyKey: null,
    ...(part && { directory: { part } as never }),
  }
  return toEntryRequest({ written: parsed.written, completedMs: 0, request }, dryRun)
}

function refusal(...given: Parameters<typeof read>): GpuqError {
  try {
    read(...given)
  } catch (error) {
    if (error instanceof GpuqError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('an upload to a competition', () => {
  it('the printed config of document 003 and its Python dict are entries', () => {
    expect(read(document003)).toMatchObject({ name: null, args: [], phase: null, rehearse: false })
    const dict =
      "{'user_id': 'a', 'competition_id': 'test', 'project_id': 'demo', 'expected_time': 60, 'token': 't'}"
    expect(read(dict)).toMatchObject({ phase: null })
  })

  it('takes name, tags, arguments, phase and rehearse from the config', () => {
    const more = 'name: first\ntags: [a, a, b]\nargs: --lr 0.1\nphase: main\nrehearse: true\n'
    expect(read(document003 + more)).toMatchObject({
      name: 'first',
      tags: ['a', 'b'],
      args: ['--lr', '0.1'],
      phase: 'main',
      rehearse: true,
    })
  })

  it('every key that the phase decides is named in one refusal, also with the value of its default', () => {
    const { message, errors } = refusal(`${document003}gpu_count: 1\npriority: 5\ncommand: "true"\n`)
    expect(errors?.map(({ path }) => path).sort()).toEqual(['command', 'gpu_count', 'priority'])
    expect(message).toContain(
      'Allowed are competition_id, project_id, user_id, token, expected_time, name, tags',
    )
  })

  it('a key without a value counts as left out', () => {
    expect(read(`${document003}environment:\n`)).toMatchObject({ phase: null })
  })

  it('a directory is refused, and so is an upload without a program, except in a dry run', () => {
    expect(refusal(document003, { part: 'archive' }).errors).toMatchObject([{ path: 'archive' }])
    expect(refusal(document003, { code: '' }).message).toBe(
      'The part code is missing: add -F "code=@solution.py".',
    )
    expect(read(document003, { code: '', dryRun: true })).toMatchObject({ phase: null })
  })
})
