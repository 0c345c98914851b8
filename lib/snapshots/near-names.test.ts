import { expect, it } from 'vitest'
import { nearNames } from './near-names'

it.each([
  ['cdoe', ['code', 'data/cifar10'], ['code']],
  ['cifar10', ['code', 'data/cifar10'], ['data/cifar10']],
  ['data/cifar', ['code', 'data/cifar100', 'data/cifar10'], ['data/cifar10', 'data/cifar100']],
  ['weights', ['code', 'data/cifar10'], []],
  ['a', [], []],
])('finds for %s the names that a user may have meant', (name, known, expected) => {
  expect(nearNames(name, known)).toEqual(expected)
})

it('names the nearest first, and five at most', () => {
  const known = ['codes', 'code9', 'code1', 'coda', 'xcode', 'code', 'codex']
  const near = nearNames('kode', known)
  expect(near).toHaveLength(5)
  expect(near[0]).toBe('code')
})
