import { describe, expect, it } from 'vitest'
import { withPositions } from './config-keys'
import { findConfigProblems } from './config-problems'

const context = { handle: 'ada', environments: ['python', 'pytorch'] }
const required = 'competition_id: c\nproject_id: p\nexpected_time: 60\n'

describe('findConfigProblems', () => {
  it('finds none in a valid config', () => {
    expect(findConfigProblems(`${required}user_id: Ada\nenvironment: pytorch\n`, context)).toEqual([])
  })

  it('finds the positions of problems', () => {
    const [problem] = findConfigProblems(`${required}gpu_cuont: 1\n`, context)
    expect(problem).toMatchObject({ path: 'gpu_cuont', line: 4, column: 1 })
  })

  it('finds a command beside a program', () => {
    const text = `${required}command: "true"\n`
    expect(findConfigProblems(text, context)).toEqual([])
    expect(findConfigProblems(text, { ...context, hasProgram: true })).toMatchObject([
      { path: 'command', line: 4, column: 1 },
    ])
  })

  it('finds problems that depend on the user and the environments', () => {
    const text = `${required}user_id: "your_user_id"\nenvironment: tensorflow\n`
    expect(findConfigProblems(text, context)).toEqual([
      { path: 'user_id', message: 'you are signed in as `ada`: remove user_id', line: 4, column: 1 },
      {
        path: 'environment',
        message: 'this environment does not exist: use python or pytorch',
        line: 5,
        column: 1,
      },
    ])
  })

  it('sorts all problems by line', () => {
    const text = `user_id: eve\n${required}gpu_cuont: 1\nenvironment: tensorflow\n`
    const problems = findConfigProblems(text, context)
    expect(problems.map(({ path, line }) => [path, line])).toEqual([
      ['user_id', 1],
      ['gpu_cuont', 5],
      ['environment', 6],
    ])
  })

  it('reports one problem per key', () => {
    const paths = findConfigProblems(`${required}user_id: "a/b"\n`, context).map(({ path }) => path)
    expect(paths).toEqual(['user_id'])
  })

  it('accepts any environment while they load', () => {
    const text = `${required}environment: tensorflow\n`
    expect(findConfigProblems(text, { ...context, environments: undefined })).toEqual([])
  })
})

describe('withPositions', () => {
  it('keeps a position, and finds the line of a key without one', () => {
    const problems = [
      { path: 'project_id', message: 'here', line: 9, column: 2 },
      { path: 'expected_time', message: 'there' },
      { path: 'env.SEED', message: 'nowhere' },
    ]
    expect(withPositions(`# first\n${required}`, problems)).toEqual([
      problems[0],
      { ...problems[1], line: 4, column: 1 },
      problems[2],
    ])
  })

  it('finds a key in a flow mapping', () => {
    const text = "{'competition_id': 'c',\n 'user_id': 'x'}"
    expect(withPositions(text, [{ path: 'user_id', message: 'm' }])).toEqual([
      { path: 'user_id', message: 'm', line: 2, column: 2 },
    ])
  })
})
