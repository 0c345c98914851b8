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
    ['ValueError: the gradient is infinite', 'not_finite', null],
    ['RuntimeError: ffmpeg binary not found', 'command_missing', null],
    ['RuntimeError: could not reach the license server', 'network', null],
    ['RuntimeError: cannot resolve weights.example.org', 'network', null],
    ['RuntimeError: failed to connect: timed out', 'network', null],
    ['RuntimeError: no space left for the cache', 'disk_full', null],
    ['RuntimeError: the environment variable LOCAL_RANK is not set', 'distributed', null],
    ['RuntimeError: this wheel was not built with CUDA', 'gpu_unsupported', null],
    ['RuntimeError: rank 3 died', 'distributed', null],
    ['RuntimeError: please log in first', 'credentials', null],
    [
      'ImportError: compiled against version 2 of the library, which is incompatible',
      'library_missing',
      null,
    ],
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
    "ValueError: column 'label' not found in data/train.csv",
    "ValueError: file data/train.csv: column 'label' not found",
    'RuntimeError: no improvement found in runs/exp1/metrics.json',
    'RuntimeError: failed to reach the target accuracy of 0.9',
    'ValueError: could not resolve the interpolation model.width',
    'ValueError: failed to connect nodes 3 and 4 of the graph',
    'ValueError: binary labels are missing class 1',
    'RuntimeError: no improvement on the GPU after 5 steps',
    'ValueError: invalid checkpoint interval 0',
    'ValueError: config version mismatch: expected 2, found 3',
    'ValueError: there is no log in runs/exp1',
    'ValueError: no space between the two tokens',
    'ValueError: gpu_memory_utilization must be between 0 and 1',
    'ValueError: the feature flag differs between the two configs',
    'ValueError: expected a sample rate of 16000, but got 44100',
    "ValueError: size 'huge' is unknown, expected one of small and large, but got huge",
    'ValueError: dtype must be one of float32 and bfloat16',
    'ValueError: an infinite dataset has no length',
    'ValueError: the LoRA rank is not set',
    'ValueError: data/train.csv: label 5 is missing',
    'RuntimeError: the model was not compiled before it was moved to the GPU',
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
