import { expect, it } from 'vitest'
import { createProgram } from '../../program'
import { fakeContext } from '../../testing/fake-context'
import { run } from './run'

createProgram()

const unused = () =>
  fakeContext(() => {
    throw new Error('a request')
  })
const directory = import.meta.dirname

it.each([
  [{ instance_count: 2 }, '--nodes'],
  [{ cpu: 4 }, '--cpu'],
  [{ memory_gb: 8 }, '--memory'],
  [{ run_name: 'a' }, '--run-name'],
  [{ fresh_nodes: true }, '--fresh-nodes'],
])('a command without a directory cannot have %o, and the error names the option', async (options, flag) => {
  await expect(run(unused(), ['true'], options)).rejects.toThrow(
    `${flag} needs a directory: use --with-dir, --sync or --command "…" DIRECTORY.`,
  )
})

it.each(['--command', '--nodes=2', '--memory'])(
  'the option %s after a directory is refused, and not made part of the command',
  async (word) => {
    const [flag] = word.split('=')
    await expect(run(unused(), [directory, word, '2'], {})).rejects.toThrow(
      `${flag} must come before the directory ${directory}.`,
    )
  },
)
