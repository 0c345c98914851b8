import { expect, it } from 'vitest'
import { parseConfig } from './config'
import { dependsOn, splitDependencies } from './depends-on'

const [one, two] = ['01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61', '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e62']

it('is a list, or one text with ids between commas or spaces', () => {
  expect(dependsOn.parse([one, 'slurm:17'])).toEqual([one, 'slurm:17'])
  expect(dependsOn.parse(`${one}, ${two.toUpperCase()}`)).toEqual([one, two])
  expect(dependsOn.parse('')).toEqual([])
})

it.each([
  [one, one],
  [{ id: one }, one],
  [{ id: one, when: 'ok' }, one],
  [`ok:${one}`, one],
  [`afterok:${one}`, one],
  [{ id: ` ${one.toUpperCase()}`, when: 'any' }, `any:${one}`],
  [` any:${one}`, `any:${one}`],
  [`AfterAny:${one}`, `any:${one}`],
  [{ id: one, when: 'failed' }, `failed:${one}`],
  [`failed:${one}`, `failed:${one}`],
  [`afternotok:${one}`, `failed:${one}`],
  [`afterany:slurm:17`, 'any:slurm:17'],
  [{ id: 'slurm:17', when: 'failed' }, 'failed:slurm:17'],
])('the entry %j of depends_on is stored as %s', (given, stored) => {
  expect(dependsOn.parse([given])).toEqual([stored])
  expect(dependsOn.parse(dependsOn.parse([given]))).toEqual([stored])
})

it.each([
  ['train'],
  ['17'],
  ['slurm:0'],
  ['slurm:1;id'],
  ['slurm:1234567890'],
  [`sometimes:${one}`],
  [`any:any:${one}`],
  ['any:'],
  [17],
  [{}],
  [{ id: one, when: 'sometimes' }],
  [{ id: one, when: null }],
  [{ id: `any:${one}`, when: 'any' }],
  [{ id: one, after: 'any' }],
  [Array.from({ length: 33 }, () => one)],
])('refuses %j', (value) => {
  expect(dependsOn.safeParse(Array.isArray(value) ? value : [value]).success).toBe(false)
})

it('one id with two conditions is refused, and with the same one twice it counts once', () => {
  const { error } = dependsOn.safeParse([one, `any:${two}`, `failed:${one}`])
  expect(error?.issues).toMatchObject([
    {
      path: [2],
      message: `names ${one} a second time, with another condition (ok and failed): write it once`,
    },
  ])
  expect(splitDependencies(dependsOn.parse([`any:${one}`, { id: one, when: 'any' }])).others).toHaveLength(1)
})

it.each([
  [`depends_on: [{id: ${one}, when: any}, failed:${two}]`, [`any:${one}`, `failed:${two}`]],
  [`depends_on: any:${one}`, [`any:${one}`]],
  [`depends_on:\n  - id: ${one}\n    when: failed\n  - ${two}`, [`failed:${one}`, two]],
])('config.yaml may have %j', (text, stored) => {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${text}\n`)
  expect(parsed).toMatchObject({ ok: true, config: { depends_on: stored } })
})

it('config.yaml with an unknown condition is refused with the conditions that there are', () => {
  const config = `competition_id: c\nproject_id: p\nexpected_time: 10\ndepends_on: [{id: ${one}, when: sometimes}]\n`
  expect(parseConfig(config)).toMatchObject({
    ok: false,
    errors: [{ path: 'depends_on', message: expect.stringContaining('ok, any or failed'), line: 4 }],
  })
})

it('is split into the jobs and groups of gpuq and the jobs of Slurm, without repetitions', () => {
  expect(splitDependencies([one, 'slurm:17', `any:${two}`, one, 'slurm:17', 'failed:slurm:9'])).toEqual({
    others: [
      { id: one, when: 'ok' },
      { id: two, when: 'any' },
    ],
    slurmJobs: [
      { id: 17, when: 'ok' },
      { id: 9, when: 'failed' },
    ],
  })
})
