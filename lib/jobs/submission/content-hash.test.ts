import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentHash, type JobContent } from './content-hash'

const job: JobContent = {
  code: Buffer.from('print(1)'),
  args: ['--llm', 'qwen', '--epochs', '10'],
  env: { SEED: '1', MODE: 'train' },
  environment: 'python',
  mounts: [],
}
const hashOf = (changes: Partial<JobContent> = {}) => contentHash({ ...job, ...changes }).toString('hex')

it('is the same for the same job, in any order of its variables', () => {
  expect(hashOf()).toMatch(/^[0-9a-f]{64}$/)
  expect(hashOf({ env: { MODE: 'train', SEED: '1' } })).toBe(hashOf())
})

it.each<[string, Partial<JobContent>]>([
  ['the code', { code: Buffer.from('print(2)') }],
  ['what runs it', { code: Buffer.alloc(0), command: 'print(1)' }],
  ['an argument', { args: ['--llm', 'qwen', '--epochs', '11'] }],
  ['where arguments are cut', { args: ['--llm', 'qwen --epochs', '10'] }],
  ['the order of arguments', { args: ['--epochs', '10', '--llm', 'qwen'] }],
  ['a variable', { env: { SEED: '2', MODE: 'train' } }],
  ['the environment', { environment: 'pytorch' }],
  ['the directory that came along', { archive: 'ab'.repeat(32) }],
  ['the file that runs', { entrypoint: 'main.py' }],
  ['a snapshot that it mounts', { mounts: [{ path: '/data', hash: 'ab'.repeat(32) }] }],
  ['the place of the script', { host_script: '/home/ada/a.py' }],
  ['the conda environment', { host_script: '/home/ada/a.py', conda_prefix: '/opt/conda' }],
])('is another one when %s is', (_, changes) => {
  expect(hashOf(changes)).not.toBe(hashOf())
})

it('is another one for another version of a snapshot, or another place of it', () => {
  const hashes = ['ab', 'cd'].flatMap((two) =>
    ['/data', '/models'].map((path) => hashOf({ mounts: [{ path, hash: two.repeat(32) }] })),
  )
  expect(new Set(hashes).size).toBe(4)
})

it('distinguishes contents that are equal when concatenated', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('1', ':', ';', 'a', '') }), { maxLength: 4 })
  const content = fc.record({
    command: fc.option(fc.string({ unit: fc.constantFrom('1', ':', ';', 'a') }), { nil: undefined }),
    args: words,
    environment: fc.constantFrom('1', 'a', '1:a'),
  })
  fc.assert(
    fc.property(content, content, (one, other) => {
      expect(hashOf(one) === hashOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})
