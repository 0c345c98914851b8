import { expect, it } from 'vitest'
import { engines } from '../package.json'
import { explainOldNode } from './supported-node.cjs'

const explain = (version: string, ...command: string[]) =>
  explainOldNode({ version, range: engines.node, command })

it.each(['22.12.0', '22.22.1', '24.0.0', '24.0.0-nightly20250101', '25.1.0', '26.0.0'])(
  'Node.js %s is supported',
  (version) => {
    expect(explain(version, 'gpuq')).toBeNull()
  },
)

it.each(['12.22.9', '18.20.4', '20.20.2', '22.11.0', '23.0.0', '23.12.0'])(
  'Node.js %s is refused in one line',
  (version) => {
    const line = explain(version, 'gpuq') ?? ''
    expect(line).toContain(`gpuq needs Node.js 22 (22.12 or later) or 24 or later; this is ${version}.`)
    expect(line).not.toContain('\n')
  },
)

it('a refusal names a command that runs what the user typed on Node.js 24', () => {
  expect(explain('20.20.2', 'npm', 'start')).toMatch(
    / or run: npm exec --yes --package=node@24 --call='npm start'$/,
  )
  expect(explain('20.20.2', 'gpuq', 'submit', 'a.py', '--gpus=2')).toMatch(
    / --call='gpuq submit a\.py --gpus=2'$/,
  )
})

it.each([["print('6')"], ['two words'], ['two\nlines'], ['$(id)'], ['']])(
  'a refusal leaves out arguments that need quotes: %j',
  (argument) => {
    expect(explain('20.20.2', 'gpuq', 'run', argument)).toMatch(/ --call='gpuq …'$/)
  },
)
