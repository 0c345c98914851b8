import { describe, expect, it } from 'vitest'
import { findPairs } from './find-pairs'
import { winnow } from './fingerprints'
import { readTokens } from './tokens'

const turn = async () => {}
const pairsOf = (sources: readonly string[], templates: readonly string[] = []) =>
  findPairs(sources, templates, { minShare: 0.3, limit: 100 }, turn)
const codesOf = async (source: string) => (await readTokens(source, turn)).codes

const loading = `def load(path):
    rows = []
    with open(path) as file:
        header = file.readline().strip().split(",")
        for line in file:
            cells = line.strip().split(",")
            if len(cells) != len(header):
                continue
            rows.append({name: float(cell) for name, cell in zip(header, cells)})
    return rows
`
const training = `def train(rows, rate=0.1, steps=100):
    weights = {name: 0.0 for name in rows[0] if name != "label"}
    bias = 0.0
    for step in range(steps):
        loss = 0.0
        for row in rows:
            guess = bias + sum(weights[name] * row[name] for name in weights)
            error = guess - row["label"]
            loss += error ** 2
            bias -= rate * error
            for name in weights:
                weights[name] -= rate * error * row[name]
        if step % 10 == 0:
            print(step, loss / len(rows))
    return weights, bias
`
const writing = `def write(path, weights, bias, rows):
    with open(path, "w") as file:
        file.write("id,prediction\\n")
        for index, row in enumerate(rows):
            guess = bias + sum(weights[name] * row[name] for name in weights)
            file.write(f"{index},{guess:.4f}\\n")
`
const original = `import sys\n\n${loading}\n${training}\n${writing}`
/** Another solution of the same task. */
const unrelated = `import numpy as np
from pathlib import Path

class Ridge:
    def __init__(self, penalty):
        self.penalty = penalty

    def fit(self, x, y):
        gram = x.T @ x
        gram += self.penalty * np.eye(x.shape[1])
        self.beta = np.linalg.solve(gram, x.T @ y)
        return self

    def predict(self, x):
        return x @ self.beta

data = np.loadtxt("/data/train/train.csv", delimiter=",", skiprows=1)
folds = np.array_split(np.random.permutation(len(data)), 5)
scores = {}
for penalty in (0.01, 0.1, 1, 10):
    errors = []
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(data)), fold)
        model = Ridge(penalty).fit(data[rest, :-1], data[rest, -1])
        errors.append(np.mean((model.predict(data[fold, :-1]) - data[fold, -1]) ** 2))
    scores[penalty] = np.mean(errors)
best = min(scores, key=scores.get)
model = Ridge(best).fit(data[:, :-1], data[:, -1])
test = np.loadtxt("/data/test/test.csv", delimiter=",", skiprows=1)
Path("/results/pred.csv").write_text("\\n".join(str(value) for value in model.predict(test)))
`
const renamed = original
  .replaceAll(/\b(rows|weights|bias|guess|error|loss|cells|header|name|step|file|path)\b/g, 'my_$1')
  .replaceAll('0.1', '0.25')
  .replaceAll('"label"', "'target'")
const commented = original.replaceAll(
  /^( *)(for|if|return) /gm,
  (line, indent: string) => `${indent}# Here something happens.\n\n${line}`,
)
const documented = original.replaceAll(/^(def .*:)$/gm, '$1\n    """Does what its name says."""')
const reordered = `${writing}\n\n${training}\n\n${loading}`
const annotated = original
  .replace('def load(path):', 'def load(path: str) -> list[dict[str, float]]:')
  .replace('rate=0.1', 'rate: float = 0.1')

/** A program of its own for each seed: statements that differ in their operators. */
function randomProgram(seed: number, statements: number): string {
  let state = seed + 1
  const next = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 16) % most
  }
  const signs = ['+', '-', '*', '/', '%', '**', '//', '<<', '>>', '&', '|', '^']
  return Array.from({ length: statements }, () => {
    const parts = Array.from({ length: 2 + next(4) }, () => `${signs[next(12)]} v${next(9)}`)
    return `v${next(9)} ${['=', '+=', '-='][next(3)]} v ${parts.join(' ')}`
  }).join('\n')
}

describe('similar programs', () => {
  it.each([
    ['renamed variables and other literals', renamed],
    ['inserted comments and empty lines', commented],
    ['docstrings', documented],
    ['annotated types', annotated],
    ['other imports', original.replace('import sys', 'import os, json\nfrom math import sqrt')],
  ])('a copy with %s has the same tokens', async (_, copy) => {
    expect(copy).not.toBe(original)
    expect(await codesOf(copy)).toEqual(await codesOf(original))
    expect(await pairsOf([original, unrelated, copy])).toMatchObject([{ a: 0, b: 2, share: 1 }])
  })

  it('a copy whose functions have another order is found, with the lines of each function on both sides', async () => {
    const [pair, ...others] = await pairsOf([original, unrelated, reordered])
    expect(others).toEqual([])
    expect(pair).toMatchObject({ a: 0, b: 2 })
    expect(pair?.share).toBeGreaterThan(0.8)
    const lineOf = (source: string, text: string) =>
      source.split('\n').findIndex((line) => line.startsWith(text)) + 1
    for (const name of ['def load', 'def train', 'def write']) {
      const [inA, inB] = [lineOf(original, name) + 3, lineOf(reordered, name) + 3]
      const covers = ([first, last]: readonly [number, number], line: number) => first <= line && line <= last
      expect(
        pair?.matches.some(({ a, b }) => covers(a, inA) && covers(b, inB)),
        `${name} ${JSON.stringify(pair?.matches)}`,
      ).toBe(true)
    }
  })

  it('one copied function in an other program is found with its lines', async () => {
    const mixed = `${unrelated}\n${training}`
    const [pair] = await findPairs([original, mixed], [], { minShare: 0.2, limit: 10 }, turn)
    const first = unrelated.split('\n').length + 1
    expect(pair?.matches.length).toBeGreaterThan(0)
    for (const { b } of pair?.matches ?? []) {
      expect(b[0]).toBeGreaterThanOrEqual(first)
      expect(b[1]).toBeLessThanOrEqual(first + training.split('\n').length)
    }
  })

  it('unrelated programs of one task are no pair', async () => {
    expect(await findPairs([original, unrelated], [], { minShare: 0.05, limit: 10 }, turn)).toEqual([])
  })

  it('the template that everybody got does not count', async () => {
    const own = [training, unrelated.slice(unrelated.indexOf('data = '))]
    const sources = own.map((text) => `${loading}\n${writing}\n${text}`)
    expect((await pairsOf(sources))[0]).toMatchObject({ a: 0, b: 1 })
    expect(await pairsOf(sources, [`${loading}\n${writing}`])).toEqual([])
    expect(await pairsOf([original, original], [original])).toEqual([])
  })

  it('lines that more than thirty programs have say nothing', async () => {
    const sources = Array.from({ length: 31 }, (_, n) => `${loading}\n${writing}\n${randomProgram(n, 20)}`)
    expect(await pairsOf(sources.slice(0, 30))).not.toEqual([])
    expect(await pairsOf(sources)).toEqual([])
  })

  it('equal programs are found however many there are', async () => {
    const copies = await pairsOf(Array.from({ length: 40 }, () => original))
    expect(copies).toHaveLength(39)
    for (const { a, share, matches } of copies) {
      expect([a, share]).toEqual([0, 1])
      expect(matches).not.toEqual([])
    }
  })

  it('the pairs with the largest share come first, as many as are wanted', async () => {
    const sources = [original, renamed, `${original}\n${unrelated}`, reordered]
    const pairs = await pairsOf(sources)
    expect(pairs.map(({ share }) => share)).toEqual(pairs.map(({ share }) => share).toSorted((a, b) => b - a))
    expect(await findPairs(sources, [], { minShare: 0.3, limit: 2 }, turn)).toEqual(pairs.slice(0, 2))
  })

  it('what is no Python, or too short to compare, is no pair and no failure', async () => {
    const odd = ['', 'print(1)', '\0\uFFFF(((', '"""never closed', '# only a comment', '(('.repeat(5_000)]
    expect(await pairsOf([...odd, ...odd.slice(0, 5)])).toEqual([])
  })

  it('five hundred programs are compared without all their pairs: a ring of three is found', async () => {
    const sources = Array.from({ length: 500 }, (_, n) => randomProgram(n, 80))
    for (const copy of [120, 480])
      sources[copy] =
        `${randomProgram(7, 80).replaceAll('v1', 'other')}\nprint(${copy === 120 ? 'a' : 'a, b'})`
    let turns = 0
    const pairs = await findPairs(sources, [], { minShare: 0.3, limit: 100 }, async () => {
      turns += 1
    })
    expect(pairs.map(({ a, b }) => [a, b]).sort()).toEqual([
      [120, 480],
      [7, 120],
      [7, 480],
    ])
    expect(turns).toBeGreaterThan(500)
  })
})

describe('winnowing', () => {
  it('finds each run of 35 equal tokens, wherever it stands', () => {
    const tokens = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => Math.imul(from + n, 2_654_435_761) >>> 0)
    const run = tokens(1_000, 35)
    for (const [before, after] of [
      [0, 0],
      [1, 90],
      [57, 3],
    ] as const) {
      const a = new Set(
        winnow([...tokens(5_000, before), ...run, ...tokens(6_000, after)]).map(({ hash }) => hash),
      )
      const b = winnow([...tokens(7_000, after), ...run, ...tokens(8_000, before)])
      expect(b.some(({ hash }) => a.has(hash))).toBe(true)
    }
  })

  it('keeps a small part of the hashes, in the order of the tokens', () => {
    const codes = Array.from({ length: 10_000 }, (_, n) => Math.imul(n, 2_654_435_761) >>> 0)
    const chosen = winnow(codes)
    expect(chosen.length).toBeGreaterThan(10_000 / 12)
    expect(chosen.length).toBeLessThan(10_000 / 4)
    expect(chosen.map(({ at }) => at)).toEqual(chosen.map(({ at }) => at).toSorted((a, b) => a - b))
    expect(winnow(codes.slice(0, 23))).toEqual([])
    expect(winnow(codes.slice(0, 24))).toHaveLength(1)
  })
})
