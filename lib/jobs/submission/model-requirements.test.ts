import { describe, expect, it } from 'vitest'
import { modelsOfCommand, modelsOfWords } from './model-requirements'

describe('the models of arguments', () => {
  it.each([
    [['--llm', 'qwen2.5-7b', '--epochs', '3'], ['qwen2.5-7b']],
    [['--llm=qwen2.5-7b'], ['qwen2.5-7b']],
    [
      ['--llm', 'a', '--llm=b', '--llm', 'a'],
      ['a', 'b'],
    ],
    [['--llm'], []],
    [['--llm='], []],
    [['--llms', 'a', 'llm', 'b', '-llm', 'c'], []],
    [[], []],
  ])('%j names %j', (words, models) => {
    expect(modelsOfWords(words)).toEqual(models)
  })
})

describe('the models of a command', () => {
  it.each([
    ['python train.py --llm qwen2.5-7b --epochs 3', ['qwen2.5-7b']],
    ['python train.py --llm="qwen 7b" \'--llm\' other', ['qwen 7b', 'other']],
    ['python a.py --llm small && python b.py --llm=large; echo done', ['small', 'large']],
    ['python a.py --llm small; ls', ['small']],
    ['(python a.py --llm small)', ['small']],
    ['python a.py \\\n  --llm small\n', ['small']],
    ["echo '--llm small'", []],
    ['echo "--llm', []],
    ['python train.py', []],
  ])('%j names %j', (command, models) => {
    expect(modelsOfCommand(command)).toEqual(models)
  })
})
