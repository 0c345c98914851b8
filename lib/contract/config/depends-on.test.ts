import { expect, it } from 'vitest'
import { dependsOn, splitDependencies } from './depends-on'

const [one, two] = ['01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61', '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e62']

it('is a list, or one text with ids between commas or spaces', () => {
  expect(dependsOn.parse([one, 'slurm:17'])).toEqual([one, 'slurm:17'])
  expect(dependsOn.parse(`${one}, ${two.toUpperCase()}`)).toEqual([one, two])
  expect(dependsOn.parse('')).toEqual([])
})

it.each([
  ['train'],
  ['17'],
  ['slurm:0'],
  ['slurm:1;id'],
  ['slurm:1234567890'],
  [17],
  [{}],
  [Array.from({ length: 33 }, () => one)],
])('refuses %j', (value) => {
  expect(dependsOn.safeParse(Array.isArray(value) ? value : [value]).success).toBe(false)
})

it('is split into the jobs of gpuq and those of Slurm, without repetitions', () => {
  expect(splitDependencies([one, 'slurm:17', two, one, 'slurm:17', 'slurm:9'])).toEqual({
    jobIds: [one, two],
    slurmIds: [17, 9],
  })
})
