import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromInputText, inFormWords, toInputText } from './form-fields'

describe('fromInputText', () => {
  it.each([
    ['300', 'number', 300],
    [' 0.5 ', 'number', 0.5],
    ['-1', 'number', -1],
    ['1.', 'number', '1.'],
    ['5 min', 'number', '5 min'],
    ['', 'number', undefined],
    ['', 'text', undefined],
    ['my run ', 'text', 'my run '],
    ['--epochs\n10\n\n', 'list', ['--epochs', '10']],
    ['\n', 'list', undefined],
    ['A=1\nB=x=y\n C\n', 'variables', { A: '1', B: 'x=y', C: '' }],
  ] as const)('%j as a %s', (draft, kind, value) => {
    expect(fromInputText(draft, kind)).toEqual(value)
  })
})

it('reads what it writes', () => {
  const line = fc.stringMatching(/^[a-z=-]{1,6}$/)
  const name = fc.stringMatching(/^[A-Z]{1,4}$/)
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (list) => {
      expect(fromInputText(toInputText(list), 'list')).toEqual(list)
    }),
  )
  fc.assert(
    fc.property(fc.dictionary(name, line, { minKeys: 1 }), (variables) => {
      expect(fromInputText(toInputText(variables), 'variables')).toEqual({ ...variables })
    }),
  )
})

it.each([
  ['config_file: max_time: must be at least expected_time', 'Time limit: must be at least Expected time'],
  ['must be less than `priority`', 'must be less than Priority'],
  ['this environment does not exist: use python', 'this environment does not exist: use python'],
  ['you are signed in as `ada`: remove user_id', 'you are signed in as `ada`: remove user_id'],
  [
    'a job runs either a command or a program: remove this key',
    'a job runs either a command or a program: clear this field',
  ],
  [
    'needs a value: write a line such as `project_id: "my-project"` (the project of the job)',
    'needs a value, such as my-project (the project of the job)',
  ],
  [
    'needs a value: write a line such as `expected_time: 300` (seconds)',
    'needs a value, such as 300 (seconds)',
  ],
])('the form says "%s" as "%s"', (message, shown) => {
  expect(inFormWords(message)).toBe(shown)
})
