import fc from 'fast-check'
import { expect, it } from 'vitest'
import { withCudaArgument } from './cuda-argument'

it.each<[title: string, args: string[], gpus: number, expected: string[]]>([
  ['adds it at the end', ['--epochs', '10'], 2, ['--epochs', '10', '--cuda', '0,1']],
  ['replaces it in its position', ['--cuda', '3', '--epochs', '10'], 1, ['--cuda', '0', '--epochs', '10']],
  ['replaces it if its value follows a =', ['--cuda=4,5', 'train'], 2, ['--cuda', '0,1', 'train']],
  ['replaces several by one', ['--cuda', '3', 'x', '--cuda=1'], 1, ['--cuda', '0', 'x']],
  ['reads a negative number as its value', ['--cuda', '-1', 'x'], 1, ['--cuda', '0', 'x']],
  ['does not read another option as its value', ['--cuda', '--fast'], 1, ['--cuda', '0', '--fast']],
  ['adds the value if --cuda is the last word', ['x', '--cuda'], 3, ['x', '--cuda', '0,1,2']],
  [
    'keeps options whose name starts with --cuda',
    ['--cuda-graphs', 'on'],
    1,
    ['--cuda-graphs', 'on', '--cuda', '0'],
  ],
  ['keeps what follows --', ['x', '--', '--cuda', '7'], 1, ['x', '--cuda', '0', '--', '--cuda', '7']],
  ['removes it without GPUs', ['a', '--cuda', '0', 'b', '--cuda=1'], 0, ['a', 'b']],
  ['adds nothing without GPUs', ['a'], 0, ['a']],
])('%s', (_, args, gpus, expected) => {
  expect(withCudaArgument(args, gpus)).toEqual(expected)
})

it('keeps all other options in their order, and is idempotent', () => {
  const words = fc.array(fc.constantFrom('a', '-1', '-f', '--cuda', '--cuda=2', '3', '--', '--cudas'))
  fc.assert(
    fc.property(words, fc.integer({ min: 0, max: 8 }), (args, gpus) => {
      const once = withCudaArgument(args, gpus)
      expect(withCudaArgument(once, gpus)).toEqual(once)
      const others = (list: string[]) => list.filter((word) => ['-f', '--', '--cudas'].includes(word))
      expect(others(once)).toEqual(others(args))
      const options = once.slice(0, once.includes('--') ? once.indexOf('--') : undefined)
      expect(options.filter((word) => word.startsWith('--cuda') && word !== '--cudas')).toHaveLength(
        gpus === 0 ? 0 : 1,
      )
    }),
  )
})
