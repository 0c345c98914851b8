import { uuidv7 } from 'uuidv7'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  blankDraft,
  commandOf,
  draftAfter,
  forgetDraft,
  isCommand,
  loadDraft,
  saveDraft,
  toSubmission,
  withCommand,
  withoutToken,
} from './draft'

const secret = 'gpuq_0123456789'

describe('withoutToken', () => {
  it('removes the token and keeps the rest', () => {
    expect(withoutToken(`a: 1 # one\ntoken: "${secret}"\nb: 2\n`)).toBe('a: 1 # one\nb: 2\n')
    expect(withoutToken(`{'a': 1, 'token': '${secret}'}`)).not.toContain(secret)
    expect(withoutToken('a: 1\n')).toBe('a: 1\n')
  })
})

it('a draft after a job has its id in the config, and the rest of a blank draft', () => {
  const { code, config } = draftAfter('01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61')
  expect(code).toBe('')
  expect(config).toBe(`${blankDraft.config}depends_on: 01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61\n`)
})

describe('a command', () => {
  const config = 'project_id: p\ncommand: "bash run.sh"\n'

  it('is read from the config and written to it', () => {
    expect(commandOf(config)).toBe('bash run.sh')
    expect(commandOf('project_id: p\n')).toBeNull()
    expect(commandOf('command: |\n  a\n  b\n')).toBe('a\nb\n')
    for (const command of ['', 'a "b" \'c\' # d\n\\e', 'true ', 'a: b']) {
      expect(commandOf(withCommand(config, command))).toBe(command)
      expect(withCommand(config, command)).toContain('project_id: p\n')
    }
  })

  it('is submitted without a program; with one, the server rejects both', () => {
    expect(isCommand({ code: ' \n', config })).toBe(true)
    expect(toSubmission({ code: '', config })).toEqual({ config })
    expect(isCommand({ code: 'print(1)', config })).toBe(false)
    expect(toSubmission({ code: 'print(1)', config })).toEqual({ code: 'print(1)', config })
  })
})

it('a directory of an earlier job needs no program', () => {
  const config = `project_id: p\narchive: "${'ab'.repeat(32)}"\n`
  expect(toSubmission({ code: '', config })).toEqual({ config })
  expect(toSubmission({ code: 'print(1)', config })).toEqual({ code: 'print(1)', config })
  expect(toSubmission({ code: '', config: 'project_id: p\n' })).toEqual({
    code: '',
    config: 'project_id: p\n',
  })
})

it('an uploaded directory replaces the program', () => {
  const archive = 'cd'.repeat(32)
  const { config, code } = toSubmission({ code: 'print(1)', config: 'project_id: p\n' }, archive)
  expect(config).toBe(`project_id: p\narchive: "${archive}"\n`)
  expect(code).toBeUndefined()
})

describe('the draft', () => {
  const stored = new Map<string, string>()
  beforeEach(() =>
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    }),
  )
  afterEach(() => {
    stored.clear()
    vi.unstubAllGlobals()
  })

  it('is restored until it is removed', () => {
    expect(loadDraft()).toBeNull()
    const draft = { code: 'print(1)', config: 'name: "x"\n' }
    saveDraft(draft)
    expect(loadDraft()).toEqual(draft)
    forgetDraft()
    expect(loadDraft()).toBeNull()
  })

  it.each([
    `token: ${secret}\n`,
    `{'token': '${secret}'}`,
    `token: "${secret}\nname: [`,
    `Token : ${secret}: x`,
  ])('never stores a token: %j', (config) => {
    saveDraft({ code: 'x', config })
    expect([...stored.values()].join()).not.toContain(secret)
  })

  it('keeps the key of a submission without an answer for as long as gpuq knows it', () => {
    const draft = { code: 'print(1)', config: 'name: "x"\n', unansweredKey: uuidv7() }
    saveDraft(draft)
    expect(loadDraft()).toEqual(draft)
    vi.useFakeTimers({ now: Date.now() + 24 * 3_600_000 })
    expect(loadDraft()).not.toHaveProperty('unansweredKey')
    vi.useRealTimers()
  })

  it('keeps no key of a submission from which a token is removed: gpuq would refuse it for another config', () => {
    saveDraft({ code: 'x', config: `name: x\ntoken: ${secret}\n`, unansweredKey: uuidv7() })
    expect(loadDraft()).toEqual({ code: 'x', config: 'name: x\n' })
  })

  it('keeps invalid YAML if it cannot contain a token', () => {
    saveDraft({ code: '', config: 'name: [' })
    expect(loadDraft()?.config).toBe('name: [')
  })

  it('ignores invalid data', () => {
    stored.set('gpuq.draft', '{"code":1}')
    expect(loadDraft()).toBeNull()
    stored.set('gpuq.draft', '{')
    expect(loadDraft()).toBeNull()
    expect(blankDraft.config).toContain('competition_id')
  })
})
