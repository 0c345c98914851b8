import { expect, it } from 'vitest'
import { sortNames } from './sort-names'

it('sorts metrics by name, numbers by value, and counters last', () => {
  const names = ['step', 'val_loss', 'layer.10', 'acc', 'layer.2', 'epoch', 'loss']
  expect(sortNames(names)).toEqual(['acc', 'layer.2', 'layer.10', 'loss', 'val_loss', 'epoch', 'step'])
})
