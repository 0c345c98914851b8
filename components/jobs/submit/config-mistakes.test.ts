import { describe, expect, it } from 'vitest'
import { findMistakes, withPlaces } from './config-mistakes'

const surroundings = { handle: 'ada', environments: ['python', 'pytorch'] }
const required = 'competition_id: c\nproject_id: p\nexpected_time: 60\n'

describe('findMistakes', () => {
  it('finds none in a config that will be accepted', () => {
    expect(findMistakes(`${required}user_id: Ada\nenvironment: pytorch\n`, surroundings)).toEqual([])
  })

  it('gives the mistakes of the text itself their places', () => {
    const [mistake] = findMistakes(`${required}gpu_cuont: 1\n`, surroundings)
    expect(mistake).toMatchObject({ path: 'gpu_cuont', line: 4, column: 1 })
  })

  it('finds a command beside a program', () => {
    const text = `${required}command: "true"\n`
    expect(findMistakes(text, surroundings)).toEqual([])
    expect(findMistakes(text, { ...surroundings, hasProgram: true })).toMatchObject([
      { path: 'command', line: 4, column: 1 },
    ])
  })

  it('finds what only this page can know', () => {
    const text = `${required}user_id: "your_user_id"\nenvironment: tensorflow\n`
    expect(findMistakes(text, surroundings)).toEqual([
      { path: 'user_id', message: 'you are signed in as `ada`: leave user_id out', line: 4, column: 1 },
      {
        path: 'environment',
        message: 'there is no such environment: choose python or pytorch',
        line: 5,
        column: 1,
      },
    ])
  })

  it('finds both kinds at once, in the order of the lines', () => {
    const text = `user_id: eve\n${required}gpu_cuont: 1\nenvironment: tensorflow\n`
    const mistakes = findMistakes(text, surroundings)
    expect(mistakes.map(({ path, line }) => [path, line])).toEqual([
      ['user_id', 1],
      ['gpu_cuont', 5],
      ['environment', 6],
    ])
  })

  it('says one thing about a key that is wrong in two ways', () => {
    const paths = findMistakes(`${required}user_id: "a/b"\n`, surroundings).map(({ path }) => path)
    expect(paths).toEqual(['user_id'])
  })

  it('does not complain of an environment while nobody knows which there are', () => {
    const text = `${required}environment: tensorflow\n`
    expect(findMistakes(text, { ...surroundings, environments: undefined })).toEqual([])
  })
})

describe('withPlaces', () => {
  it('keeps a place, and looks up the line of a key that has none', () => {
    const mistakes = [
      { path: 'project_id', message: 'here', line: 9, column: 2 },
      { path: 'expected_time', message: 'there' },
      { path: 'env.SEED', message: 'nowhere' },
    ]
    expect(withPlaces(`# first\n${required}`, mistakes)).toEqual([
      mistakes[0],
      { ...mistakes[1], line: 4, column: 1 },
      mistakes[2],
    ])
  })

  it('finds a key in the text of a Python dict', () => {
    const text = "{'competition_id': 'c',\n 'user_id': 'x'}"
    expect(withPlaces(text, [{ path: 'user_id', message: 'm' }])).toEqual([
      { path: 'user_id', message: 'm', line: 2, column: 2 },
    ])
  })
})
