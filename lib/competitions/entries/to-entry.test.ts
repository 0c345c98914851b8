import { describe, expect, it } from 'vitest'
import type { Rights } from '../access'
import { competitionConfigSchema } from '../contract-config'
import { competitionKeys } from '../testing/competition-keys'
import { type EntryRow, toEntry } from './to-entry'

const config = competitionConfigSchema.parse(competitionKeys())
const [spec] = config.phases
if (!spec) throw new Error('The competition has no phase.')

const row: EntryRow = {
  id: '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61',
  competitionId: '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e62',
  slug: 'cup',
  phase: 'main',
  kind: 'entry',
  name: null,
  teamId: '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e63',
  team: 'eagles',
  userId: '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e64',
  sender: 'ada',
  state: 'scored',
  cause: null,
  detail: null,
  receivedAt: new Date('2027-01-10T10:00:00.000Z'),
  endedAt: new Date('2027-01-10T10:05:03.123Z'),
  seconds: 61.2,
  scores: { acc: 0.12345, priv: 0.98765 },
  scorerVersion: 2,
  scorer: config.scorer,
  revealedAt: null,
  spec,
  chosen: false,
  disqualifiedWhy: null,
  sourceSha256: 'ab',
  mounts: { '/data/train': 'train@1', '/data/test': 'test@3' },
  labels: { '/labels/truth': 'truth@7' },
  seed: '0123456789abcdef',
  jobId: '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e65',
  image: 'sha256:1',
  gpus: ['NVIDIA H200'],
}
const failed: EntryRow = {
  ...row,
  state: 'failed',
  cause: 'own_error',
  detail: 'The hidden label is 7.',
  scores: null,
}

const team: Rights = { isHost: false, isStaff: false }
const ta: Rights = { isHost: false, isStaff: true }
const host: Rights = { isHost: true, isStaff: true }

describe('an entry', () => {
  it('its team sees public scores in the digits of the board, and neither private ones, nor the job, nor labels', () => {
    const seen = toEntry(row, team)
    expect(seen).toMatchObject({
      scores: { acc: '0.123' },
      job_id: null,
      log: false,
      message: 'It is scored.',
    })
    expect(seen.provenance).toEqual({
      scorer_version: 2,
      data: { train: 'train@1', test: 'test@3' },
      seed: row.seed,
      image: 'sha256:1',
      gpus: ['NVIDIA H200'],
    })
    expect(JSON.stringify(seen)).not.toMatch(/0\.98|truth|7e65/)
  })

  it('a TA sees its log and the details of its failure, and neither private scores, nor the job, nor labels', () => {
    expect(toEntry(failed, ta)).toMatchObject({ log: true, message: expect.stringContaining('label is 7') })
    expect(JSON.stringify(toEntry(row, ta))).not.toMatch(/0\.98|truth|7e65/)
  })

  it('a host sees everything', () => {
    expect(toEntry(row, host)).toMatchObject({
      scores: { acc: '0.123', priv: '0.988' },
      job_id: row.jobId,
      provenance: { data: { truth: 'truth@7' } },
    })
  })

  it('its team sees private scores after the board is revealed', () => {
    expect(toEntry({ ...row, revealedAt: new Date() }, team).scores).toEqual({ acc: '0.123', priv: '0.988' })
  })

  it('its team sees no detail of a failure, and how to find the mistake', () => {
    expect(toEntry(failed, team).message).toBe(
      'The program failed. Try the program with `rehearse: true`, whose output you can read.',
    )
  })

  it('a missing output is named by the files that the program must write, and by no detail', () => {
    const missing: EntryRow = { ...failed, cause: 'outputs' }
    const what =
      'An output is missing, too large, or no plain file. The program must write /results/pred.csv.'
    expect(toEntry(missing, team).message).toBe(
      `${what} Try the program with \`rehearse: true\`, whose output you can read.`,
    )
    expect(toEntry({ ...missing, kind: 'rehearsal' }, team).message).toBe(`${what} Read its log.`)
  })

  it('its times come in steps of 10 s where the log is hidden, because they could tell hidden data', () => {
    expect(toEntry(row, team)).toMatchObject({ seconds: 70, ended_at: '2027-01-10T10:05:10.000Z' })
    const exact = { seconds: 62, ended_at: '2027-01-10T10:05:03.123Z', log: true }
    expect(toEntry({ ...row, spec: { ...spec, logs: 'own' } }, team)).toMatchObject(exact)
    expect(toEntry({ ...row, kind: 'rehearsal' }, team)).toMatchObject(exact)
    expect(toEntry(row, ta)).toMatchObject(exact)
  })

  it('says what it ran with only after its end', () => {
    expect(toEntry({ ...row, state: 'running', endedAt: null, scores: null }, host).provenance).toBeNull()
  })
})
