import { describe, expect, it } from 'vitest'
import { findPath, findWording } from './wordings'

describe('findWording', () => {
  it.each([
    ['RuntimeError: no images found in data/train', 'file_missing', 'data/train'],
    ["OSError: model.bin: file 'w/model.bin' does not exist", 'file_missing', 'w/model.bin'],
    ["ImportError: Missing optional dependency 'openpyxl'.", 'import_missing', 'openpyxl'],
    ['ValueError: fp16 mixed precision requires a GPU', 'gpu_missing', null],
    ['RuntimeError: input size must match. Expected 10, got 12', 'shape_mismatch', null],
    ['ValueError: Input X contains NaN.', 'not_finite', null],
    ['usage: train.py CONFIG', 'argument_error', null],
  ])('understands the message: %s', (message, cause, subject) => {
    expect(findWording(message)).toEqual({ cause, subject })
  })

  it.each([
    'ValueError: learning rate 3.0 is out of the allowed range',
    "MisconfigurationException: could not find the monitored key 'val/loss'",
    'HTTPError: HTTP Error 404: File not found',
    'ConfigError: model.width (100) must be divisible by model.heads (8)',
    'RuntimeError: step 3',
  ])('claims no cause that a message does not say: %s', (message) => {
    expect(findWording(message)).toBeNull()
  })

  it.each(['a/', 'a.', "'", 'not found ', 'requires a ', 'size ', '../', ' '])(
    'claims no cause of a long message that repeats: %s',
    (part) => {
      expect(findWording(`ValueError: ${part.repeat(200_000)}`)).toBeNull()
    },
  )
})

it.each([
  ["OSError: Repo id must be 'name' or 'space/name': './tokens/'", './tokens/'],
  ['FileNotFoundError: Directory data/tokens not found', 'data/tokens'],
  ["LookupError: Resource 'punkt' not found", 'punkt'],
  ['OSError: the disk is slow', null],
])('finds the path that a message names: %s', (message, path) => {
  expect(findPath(message)).toBe(path)
})
