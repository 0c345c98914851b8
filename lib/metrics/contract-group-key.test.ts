import { describe, expect, it } from 'vitest'
import { configValue, groupKey, groupKeys } from './contract-group-key'

const job = (tags: string[], config: Record<string, unknown> = {}) => ({ tags, config })

describe('the group of a job', () => {
  it('is the value of a tag with a key', () => {
    const tags = ['baseline', 'lr=0.1', 'model: resnet 50', 'url=http://a?b=c']
    expect(groupKey(job(tags), 'tag.lr')).toBe('0.1')
    expect(groupKey(job(tags), 'tag.model')).toBe('resnet 50')
    expect(groupKey(job(tags), 'tag.url')).toBe('http://a?b=c')
    expect(groupKey(job(tags), 'tag.baseline')).toBeUndefined()
  })

  it('is all its tags without a key, in any order', () => {
    expect(groupKey(job(['v2', 'lr=0.1', 'baseline']), 'tags')).toBe('baseline, v2')
    expect(groupKey(job(['baseline', 'v2']), 'tags')).toBe('baseline, v2')
    expect(groupKey(job(['lr=0.1']), 'tags')).toBeUndefined()
  })

  it('is a value of its config', () => {
    expect(groupKey(job([], { gpu_count: 2 }), 'config.gpu_count')).toBe('2')
    expect(groupKey(job([], { gpu_count: 2 }), 'gpu_count')).toBeUndefined()
  })
})

describe('a value of a config', () => {
  const config = {
    learning_rate: 0.1,
    cuda_argument: false,
    env: { LR: '3e-4', 'A.B': 'x' },
    tags: ['a', 'b'],
    args: ['train', '--lr', '0.1', '--epochs=10', '--amp', '-s', '-1', '--name', 'my run'],
    name: null,
    mounts: {},
  }

  it.each([
    ['learning_rate', '0.1'],
    ['cuda_argument', 'false'],
    ['env.LR', '3e-4'],
    ['env.A.B', 'x'],
    ['tags', 'a b'],
    ['args.lr', '0.1'],
    ['args.epochs', '10'],
    ['args.amp', 'true'],
    ['args.s', '-1'],
    ['args.name', 'my run'],
    ['name', undefined],
    ['mounts', undefined],
    ['env', undefined],
    ['constructor', undefined],
    ['args.train', undefined],
  ])('a value of a config at %s is %s', (path, value) => expect(configValue(config, path)).toBe(value))

  it('is also an option of a command', () => {
    const command = "cd /work && python train.py --lr '0.1' --seed=3"
    expect(configValue({ command, args: [] }, 'args.lr')).toBe('0.1')
    expect(configValue({ command }, 'args.seed')).toBe('3')
    expect(configValue({ command: "echo 'open" }, 'args.lr')).toBeUndefined()
  })
})

it('jobs can be grouped by what differs between them', () => {
  const jobs = [
    job(['lr=0.1'], { gpu_count: 1, args: ['--seed', '1'] }),
    job(['lr=0.2', 'best'], { gpu_count: 1, args: ['--seed', '2'] }),
  ]
  expect(groupKeys(jobs)).toEqual(['tag.lr', 'config.args', 'config.args.seed', 'tags'])
  expect(groupKeys([])).toEqual([])
})
